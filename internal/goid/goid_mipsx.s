//go:build gc && (mips || mipsle)

#include "textflag.h"

// func current() uintptr
TEXT ·current(SB), NOSPLIT, $0-4
	MOVW g, R1
	MOVW R1, ret+0(FP)
	RET
