#include "matxscript/runtime/codegen_all_includes.h"
#include <math.h>

using namespace ::matxscript::runtime;
extern "C" void* __matxscript_module_ctx = NULL;

extern "C" MATX_DLL MATXScriptFuncRegistry __matxscript_func_registry__;

namespace {
MATX_DLL Unicode shout(const unicode_view& text, void* handle_2_71828182846=((void*)(int64_t)0));
int shout__c_api(MATXScriptAny*, int, MATXScriptAny*, void*);
MATX_DLL Unicode shout(const unicode_view& text, void* handle_2_71828182846) {  // /tmp/pytest-of-root/pytest-190/test_what_others_do_is_what_th4/theirs_252.py:5
  return (kernel_unicode_fused_concat(kernel_unicode_upper(text), unicode_view(U"\u0021", 1)));  // /tmp/pytest-of-root/pytest-190/test_what_others_do_is_what_th4/theirs_252.py:6
}

int shout__c_api(MATXScriptAny* args, int num_args, MATXScriptAny* out_ret_value, void* resource_handle = nullptr)
{
  TArgs args_t(args, num_args);

  if (num_args > 0 && args[num_args - 1].code == TypeIndex::kRuntimeKwargs) {
    string_view arg_names[1] {"text"};
    KwargsUnpackHelper helper("shout", arg_names, 1, nullptr, 0);
    RTView pos_args[1];
    helper.unpack(pos_args, args, num_args);  // /tmp/pytest-of-root/pytest-190/test_what_others_do_is_what_th4/theirs_252.py:5
    auto ret = shout(internal::TypeAsHelper<unicode_view>::run((pos_args[0]), __FILE__, __LINE__, "File \"/tmp/pytest-of-root/pytest-190/test_what_others_do_is_what_th4/theirs_252.py\", line 5, in shout\n", "expect 'text' is 'py::str' type"), resource_handle);  // /tmp/pytest-of-root/pytest-190/test_what_others_do_is_what_th4/theirs_252.py:5
    RTValue(std::move(ret)).MoveToCHost(out_ret_value);
  } else {
    switch(num_args) {
      case 1: {
        auto ret = shout(internal::TypeAsHelper<unicode_view>::run((args_t[0]), __FILE__, __LINE__, "File \"/tmp/pytest-of-root/pytest-190/test_what_others_do_is_what_th4/theirs_252.py\", line 5, in shout\n", "expect 'text' is 'py::str' type"), resource_handle);  // /tmp/pytest-of-root/pytest-190/test_what_others_do_is_what_th4/theirs_252.py:5
        RTValue(std::move(ret)).MoveToCHost(out_ret_value);
      } break;
      default: {THROW_PY_TypeError("File \"/tmp/pytest-of-root/pytest-190/test_what_others_do_is_what_th4/theirs_252.py\", line 5, in shout\n", "shout() takes 1 positional arguments but ", num_args, " were given");} break;  // /tmp/pytest-of-root/pytest-190/test_what_others_do_is_what_th4/theirs_252.py:5
    }
  }

  return 0;
}


} // namespace

extern "C" {

MATX_DLL MATXScriptBackendPackedCFunc __matxscript_func_array__[] = {
    (MATXScriptBackendPackedCFunc)shout__c_api,
};
MATX_DLL MATXScriptFuncRegistry __matxscript_func_registry__ = {
    "1\000shout\000",    __matxscript_func_array__,
};

} // extern C

extern "C" {

MATX_DLL const char* __matxscript_closures_names__ = "1\000shout\000";

} // extern C

