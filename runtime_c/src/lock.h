/* The lock of the tables that all threads share.
 *
 * One mutex guards the type table, the interned texts, the global functions and the closures. Under it nothing is called that may
 * come back: no deleter, no function object, no jf_error_*; errors are set after unlocking.
 */
#ifndef JITFFI_SRC_LOCK_H
#define JITFFI_SRC_LOCK_H

void jf_lock(void);
void jf_unlock(void);

#endif
