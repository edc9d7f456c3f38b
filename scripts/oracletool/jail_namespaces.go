package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// enterArg makes this program build the jail around itself and become the
// driver: it is the first process of namespaces that namespaces has unshared.
const enterArg = "jail-enter"

// namespaces builds the jail without bubblewrap, for machines that allow user
// namespaces but lack it.
func namespaces(ctx context.Context, k *kit, number int) *exec.Cmd {
	cmd := exec.CommandContext(ctx, k.path("opt", "driver"), enterArg, k.dir)
	attr := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
			unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getgid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP},
		Setsid:      true,
	}
	if os.Getuid() == 0 {
		attr.UidMappings[0].HostID = firstJailUser + number
		attr.GidMappings[0].HostID = firstJailUser + number
		attr.GidMappingsEnableSetgroups = true
		attr.Credential = &syscall.Credential{Uid: 1000, Gid: 1000}
	}
	cmd.SysProcAttr = attr
	return cmd
}

// enter builds the jail's file system from the kit in dir, gives up every
// privilege, and becomes the driver.
func enter(dir string) error {
	k := &kit{dir}
	root := k.root() // on the host; hidden here by the new root
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return fmt.Errorf("mounting the root: %w", err)
	}
	for _, step := range []func(*kit, string) error{bindSystem, mountFresh, makeDevices} {
		if err := step(k, root); err != nil {
			return err
		}
	}
	if err := switchRoot(root); err != nil {
		return err
	}
	if err := dropPrivileges(); err != nil {
		return err
	}
	driver := optDir + "/driver"
	return fmt.Errorf("starting the driver: %w", syscall.Exec(driver, []string{driver, driverArg}, os.Environ()))
}

// bindSystem shows the system's libraries, the stubs and the real programs,
// all of them read-only.
func bindSystem(k *kit, root string) error {
	for _, b := range []struct{ from, to string }{
		{"/usr/lib", "/usr/lib"},
		{"/usr/lib64", "/usr/lib64"},
		{"/usr/share/perl", "/usr/share/perl"},
		{k.path("bin"), "/usr/bin"},
		{k.path("etc"), "/etc"},
		{k.path("opt"), optDir},
		{"/usr/bin", optDir + "/sys"},
	} {
		if _, err := os.Stat(b.from); err != nil {
			continue
		}
		to := filepath.Join(root, b.to)
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(b.from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("showing %s: %w", b.from, err)
		}
		if err := readOnly(to, unix.AT_RECURSIVE); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{
		"/bin": "usr/bin", "/sbin": "usr/bin", "/usr/sbin": "bin", "/lib": "usr/lib", "/lib64": "usr/lib64",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(root, "/usr/local/bin"), 0o755)
}

func readOnly(path string, flags uint) error {
	attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(-1, path, flags, attr); err != nil {
		return fmt.Errorf("making %s read-only: %w", path, err)
	}
	return nil
}

// mountFresh mounts the folders that lines may write in, and /proc.
func mountFresh(_ *kit, root string) error {
	for _, m := range []struct{ kind, to, data string }{
		{"tmpfs", runDir, "mode=0700,size=1m"},
		{"tmpfs", projectDir, "mode=0755,size=8m"},
		{"tmpfs", homeDir, "mode=0755,size=8m"},
		{"tmpfs", tempDir, "mode=0777,size=8m"},
		{"proc", "/proc", ""},
	} {
		to := filepath.Join(root, m.to)
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, to, m.kind, unix.MS_NOSUID|unix.MS_NODEV, m.data); err != nil {
			return fmt.Errorf("mounting %s: %w", m.to, err)
		}
	}
	return nil
}

// makeDevices shows the few devices that a shell needs.
func makeDevices(_ *kit, root string) error {
	dev := filepath.Join(root, "dev")
	if err := os.Mkdir(dev, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if err := os.WriteFile(filepath.Join(dev, name), nil, 0o600); err != nil {
			return err
		}
		if err := unix.Mount("/dev/"+name, filepath.Join(dev, name), "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("showing /dev/%s: %w", name, err)
		}
	}
	for name, target := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(target, filepath.Join(dev, name)); err != nil {
			return err
		}
	}
	return nil
}

// switchRoot leaves the host's files behind and closes the new root.
func switchRoot(root string) error {
	if err := unix.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("changing the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the host's root: %w", err)
	}
	if err := readOnly("/", 0); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte("jail")); err != nil {
		return fmt.Errorf("naming the jail: %w", err)
	}
	return unix.Chdir(projectDir)
}

// dropPrivileges leaves nothing that a program started from here could use.
func dropPrivileges() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && err != unix.EINVAL {
			return fmt.Errorf("dropping capabilities: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("refusing new privileges: %w", err)
	}
	return nil
}
