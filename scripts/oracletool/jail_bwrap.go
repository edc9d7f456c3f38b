package main

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// firstJailUser is the first of the user ids that a root user's jails run as.
// The kernel does not count the processes of the real root, so that the bound
// on them would not hold.
const firstJailUser = 61000

// bubblewrap builds the jail with bwrap: every namespace unshared, the system
// read-only and with stubs for programs, three small folders to write in.
func bubblewrap(ctx context.Context, k *kit, number int) *exec.Cmd {
	args := []string{
		"--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--clearenv",
		"--uid", "1000", "--gid", "1000", "--cap-drop", "ALL", "--hostname", "jail",
		"--ro-bind", "/usr/lib", "/usr/lib",
		"--ro-bind-try", "/usr/lib64", "/usr/lib64",
		"--ro-bind-try", "/usr/share/perl", "/usr/share/perl",
		"--ro-bind", k.path("bin"), "/usr/bin",
		"--dir", "/usr/local/bin",
		"--symlink", "usr/bin", "/bin", "--symlink", "usr/bin", "/sbin", "--symlink", "bin", "/usr/sbin",
		"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
		"--ro-bind", k.path("etc"), "/etc",
		"--ro-bind", k.path("opt"), optDir,
		"--ro-bind", "/usr/bin", optDir + "/sys",
		"--proc", "/proc", "--dev", "/dev",
		"--size", "1048576", "--perms", "0700", "--tmpfs", runDir,
		"--size", "8388608", "--perms", "0755", "--tmpfs", projectDir,
		"--dir", "/home", "--size", "8388608", "--perms", "0755", "--tmpfs", homeDir,
		"--size", "8388608", "--perms", "0777", "--tmpfs", tempDir,
		"--remount-ro", "/dev", "--remount-ro", "/",
		"--chdir", projectDir,
		optDir + "/driver", driverArg,
	}
	cmd := exec.CommandContext(ctx, "bwrap", args...)
	asJailUser(cmd, number)
	return cmd
}

// asJailUser has cmd run as a user of its own where this process may say so.
func asJailUser(cmd *exec.Cmd, number int) {
	if os.Getuid() != 0 {
		return
	}
	id := uint32(firstJailUser + number)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
}
