/* What the program exports itself as a module, and arrays: elements, what is borrowed and what is kept. */
#include "check.hpp"

namespace modules_program {

using namespace jitffi;

JITFFI_EXPORT_TYPED(test_add, [](std::int64_t a, std::int64_t b) { return a + b; });
JITFFI_EXPORT_TYPED(test_greet, [](std::string_view name) { return "hello, " + std::string(name); });
static jf_export exports[] = {{"test.add", __jf_test_add, __jfsig_test_add.data},
                              {"test.greet", __jf_test_greet, __jfsig_test_greet.data}};
static jf_export_table table = {exports, 2, nullptr};

static void a_module() {
  Module module = Module::system("test.");
  CHECK(module.list_functions() == std::vector<std::string>{"add", "greet"});
  Function add = module["add"];
  CHECK_TEXT(add.signature(), "(i64, i64) -> i64");
  CHECK(add(1, 2).cast<int>() == 3 && module["greet"]("you") == "hello, you");
  CHECK_FAILS(add(1, "x"), "TypeError: test_add: argument 2: expected i64, got str 'x'");
  CHECK(!module.find("sub") && module.is_loaded() && AnyValue(module).cast<Module>().same_as(module));
  CHECK_FAILS(module["ad"], "AttributeError: module 'test.' has no function 'ad'; did you mean 'add'?");
  Module other = Module::system("none.");
  other.import_module(module);
  CHECK(other["add"](2, 2).cast<int>() == 4 && other.list_functions().empty());
  CHECK_FAILS(Module::load("./no-such-library.so"),
              "OSError: ./no-such-library.so: cannot open shared object file: "
              "No such file or directory");
}

static void arrays() {
  NDArray zeros = NDArray::zeros<float>({2, 3});
  CHECK(zeros.ndim() == 2 && zeros.shape(1) == 3 && zeros.size() == 6 && zeros.is_contiguous() &&
        !zeros.is_read_only());
  zeros.data<float>()[5] = 1.5F;
  CHECK_FAILS(zeros.data<double>(), "TypeError: expected an array of float64, got float32");
  Function sum = [](jf_dltensor* tensor) {
    const float* at = NDArray::elements_of<const float>(tensor);
    float total = 0;
    for (std::int64_t i = 0; i < jf_dltensor_items(tensor); i++) total += at[i];
    return total;
  };
  CHECK_TEXT(sum.signature(), "(tensor) -> f32");
  CHECK(sum(zeros).cast<float>() == 1.5F && sum(zeros.tensor()).cast<float>() == 1.5F);
  Function keep = [](NDArray array) { return array; };
  CHECK(keep(zeros).cast<NDArray>().same_as(zeros));
  NDArray copy = keep(zeros.tensor());
  CHECK(!copy.same_as(zeros) && copy.data<float>()[5] == 1.5F);
  CHECK_FAILS(sum(3), "TypeError: function: argument 1: expected tensor, got int 3");
  CHECK_FAILS(keep("x"), "TypeError: function: argument 1: expected tensor, got str 'x'");
  NDArray shared = NDArray::from_dlpack(zeros.to_dlpack());
  shared.data<float>()[0] = 4;
  CHECK(zeros.data<float>()[0] == 4);
  CHECK(NDArray::of(std::vector<std::int64_t>{1, 2, 3}).data<std::int64_t>()[2] == 3);
  Function turned = [](const ShapeTuple& shape) { return ShapeTuple{shape[1], shape[0]}; };
  CHECK_TEXT(turned.signature(), "(shape) -> shape");
  const std::vector<std::int64_t> dims = ShapeTuple(turned(zeros.shape()));
  CHECK(dims == std::vector<std::int64_t>({3, 2}) && ShapeTuple(dims) == (ShapeTuple{3, 2}) &&
        ShapeTuple().size() == 0);
  CHECK(ObjectRef(zeros).as<NDArray>() && !ObjectRef(List<>()).as<NDArray>());
}

PROGRAM(modules) {
  jf_module_register(&table);
  RUN(a_module);
  RUN(arrays);
}

}  // namespace modules_program
