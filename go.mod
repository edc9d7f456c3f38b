module github.com/pi-guard/pi-guard

go 1.26.0
