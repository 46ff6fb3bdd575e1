/* The second part of the shared runtime: what it offers to the first. */
#include "functions.h"

#define FIELD(result, name, parameters, arguments, failed) .name = name,
#define FIELD_V(name, parameters, arguments) .name = name,

const jf_more_functions jf_more = {JITFFI_VERSION, JF_MORE(FIELD, FIELD_V)};
