/* What the stress test drops in any order on any thread: objects in circles, functions with captures, arrays. */
#include <jitffi/jitffi.hpp>

using namespace jitffi;

struct Node : CyclicObject {
  std::int64_t value = 0;
  String name;
  Optional<Ref<Node>> next;
  List<> items;
  Optional<Function> callback;
};

JITFFI_STATIC_BLOCK(register_node) {
  Class<Node>("stress.Node")
      .field("value", &Node::value)
      .field("name", &Node::name)
      .field("next", &Node::next)
      .field("items", &Node::items)
      .field("callback", &Node::callback)
      .method("chain", [](const Ref<Node>& self, std::int64_t length) {
        Ref<Node> last = self;
        for (std::int64_t i = 0; i < length; i++) {
          Ref<Node> made = make_object<Node>();
          made->value = i;
          made->name = String("node number ") + String(std::to_string(i));
          made->next = last;
          last = made;
        }
        return last;
      })
      .method("ring", [](const Ref<Node>& self) {
        self->next = self;
        self->items.append(self);
      });
}

JITFFI_EXPORT_TYPED(keep, [](AnyValue value) { return Function([value] { return value; }); });
JITFFI_EXPORT_TYPED(array, [](std::int64_t size) { return NDArray::zeros<double>({size}); });
JITFFI_EXPORT_TYPED(call, [](const Function& f, AnyValue argument) { return f(argument); });
JITFFI_EXPORT_TYPED(sum, [](const Ref<Node>& first) {
  std::int64_t total = 0;
  Optional<Ref<Node>> node = first;
  for (int i = 0; node && i < 100; i++) {
    total += (*node)->value;
    node = (*node)->next;
  }
  return total;
});
JITFFI_EXPORT_ABI;
