/* Objects of another language among values of any type: their operations are the host's, where it has said how. */
#include "host.h"

static const jf_script_host* installed;

const jf_script_host* jf_op_host(const jf_any* resolved) {
  const jf_object* object = jf_any_object(resolved);
  if (!object) return 0;
  if (object->type_code == JF_HOST_OBJECT) return installed;
  return object->type_code >= JF_FIRST_DYNAMIC && jf_value_kind(resolved) == JF_VALUE_OBJECT ? installed : 0;
}

const jf_script_host* jf_op_any_host(void) { return installed; }

void jf_script_set_host(const jf_script_host* host) { installed = host; }
