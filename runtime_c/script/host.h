/* Whom to ask for what is done with a value: the host, for its own objects and for those of registered classes, whose
 * operators it knows. */
#ifndef JITFFI_SCRIPT_HOST_H
#define JITFFI_SCRIPT_HOST_H

#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "value.h"

/* NULL where the value is neither, or there is no host that says how. */
const jf_script_host* jf_op_host(const jf_any* resolved);
/* The host, whatever the value is; NULL. */
const jf_script_host* jf_op_any_host(void);

#endif
