package ledger

import "golang.org/x/sys/unix"

func stampFrom(st *unix.Stat_t) stamp {
	return stamp{Ino: st.Ino, Size: st.Size, MTime: st.Mtim.Nano(), CTime: st.Ctim.Nano()}
}
