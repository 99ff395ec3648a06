package reactortest

import "time"

// VerifyComplete is ExpectComplete and [Verification.Verify].
func (v *StepVerifier[T]) VerifyComplete() time.Duration {
	v.t.Helper()
	return v.ExpectComplete().Verify()
}

// VerifyError is ExpectError and [Verification.Verify].
func (v *StepVerifier[T]) VerifyError() time.Duration {
	v.t.Helper()
	return v.ExpectError().Verify()
}

// VerifyErrorIs is ExpectErrorIs and [Verification.Verify].
func (v *StepVerifier[T]) VerifyErrorIs(target error) time.Duration {
	v.t.Helper()
	return v.ExpectErrorIs(target).Verify()
}

// VerifyErrorAs is ExpectErrorAs and [Verification.Verify].
func (v *StepVerifier[T]) VerifyErrorAs[E error](checks ...func(E) bool) time.Duration {
	v.t.Helper()
	return v.ExpectErrorAs(checks...).Verify()
}

// VerifyErrorMessage is ExpectErrorMessage and [Verification.Verify].
func (v *StepVerifier[T]) VerifyErrorMessage(text string) time.Duration {
	v.t.Helper()
	return v.ExpectErrorMessage(text).Verify()
}

// VerifyErrorMatches is ExpectErrorMatches and [Verification.Verify].
func (v *StepVerifier[T]) VerifyErrorMatches(ok func(error) bool) time.Duration {
	v.t.Helper()
	return v.ExpectErrorMatches(ok).Verify()
}

// VerifyTimeout is ExpectTimeout and [Verification.Verify].
func (v *StepVerifier[T]) VerifyTimeout(d time.Duration) time.Duration {
	v.t.Helper()
	return v.ExpectTimeout(d).Verify()
}
