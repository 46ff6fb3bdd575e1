/* Expressions, as compilers have them: node types, a visitor that folds constants and asks Python for more, and a printer. */
#include <jitffi/jitffi.hpp>

using namespace jitffi;

struct Expr : CyclicObject {};
struct Const : Expr {
  double value = 0;
};
struct Var : Expr {
  String name;
};
struct Binary : Expr {
  String op;
  Ref<Expr> left, right;
};
struct Lambda : Expr {
  List<Ref<Var>> params;
  Ref<Expr> body;
};

static Ref<Expr> constant(double value) {
  Ref<Const> made = make_object<Const>();
  made->value = value;
  return made;
}
static Ref<Expr> binary(const String& op, Ref<Expr> left, Ref<Expr> right) {
  Ref<Binary> made = make_object<Binary>();
  made->op = op;
  made->left = std::move(left);
  made->right = std::move(right);
  return made;
}

/* Calls the visitor's function of the node's own type. */
template <class Visitor>
static auto visit(Visitor&& visitor, const Ref<Expr>& node) {
  if (Ref<Binary> found = node.as<Binary>()) return visitor(found);
  if (Ref<Lambda> found = node.as<Lambda>()) return visitor(found);
  if (Ref<Const> found = node.as<Const>()) return visitor(found);
  if (Ref<Var> found = node.as<Var>()) return visitor(found);
  raise("TypeError", std::string("no expression: ") + node.type_key());
}

/* The same expression with what is constant computed, and each node replaced by what `rewrite` gives, unless that is null. */
struct Optimizer {
  Optional<Function> rewrite;

  Ref<Expr> run(const Ref<Expr>& node) const {
    Ref<Expr> made = visit(*this, node);
    if (!rewrite) return made;
    const Optional<Ref<Expr>> other = (*rewrite)(made);
    return other ? *other : made;
  }
  Ref<Expr> operator()(const Ref<Binary>& node) const {
    const Ref<Expr> left = run(node->left), right = run(node->right);
    const Ref<Const> a = left.as<Const>(), b = right.as<Const>();
    if (a && b && node->op == "+") return constant(a->value + b->value);
    if (a && b && node->op == "*") return constant(a->value * b->value);
    return left.same_as(node->left) && right.same_as(node->right) ? Ref<Expr>(node) : binary(node->op, left, right);
  }
  Ref<Expr> operator()(const Ref<Lambda>& node) const {
    Ref<Lambda> made = make_object<Lambda>();
    made->params = node->params;
    made->body = run(node->body);
    return made;
  }
  Ref<Expr> operator()(const Ref<Const>& node) const { return node; }
  Ref<Expr> operator()(const Ref<Var>& node) const { return node; }
};

struct Printer {
  std::string run(const Ref<Expr>& node) const { return visit(*this, node); }
  std::string operator()(const Ref<Binary>& node) const {
    return "(" + run(node->left) + " " + node->op.str() + " " + run(node->right) + ")";
  }
  std::string operator()(const Ref<Lambda>& node) const {
    std::string names;
    for (const Ref<Var> param : node->params) names += " " + param->name.str();
    return "lambda" + names + ": " + run(node->body);
  }
  std::string operator()(const Ref<Const>& node) const { return AnyValue(node->value).repr(); }
  std::string operator()(const Ref<Var>& node) const { return node->name.str(); }
};

JITFFI_STATIC_BLOCK(register_types) {
  Class<Expr>("expr.Expr").method("text", [](const Ref<Expr>& self) { return Printer().run(self); });
  Class<Const, Expr>("expr.Const").field("value", &Const::value);
  Class<Var, Expr>("expr.Var").field("name", &Var::name).flag(JF_FIELD_IGNORED).options(0, JF_STRUCTURE_FREE_VAR);
  Class<Binary, Expr>("expr.Binary")
      .field("op", &Binary::op)
      .field("left", &Binary::left)
      .field("right", &Binary::right);
  Class<Lambda, Expr>("expr.Lambda")
      .field("params", &Lambda::params)
      .flag(JF_FIELD_DEFINES)
      .field("body", &Lambda::body);
}

JITFFI_EXPORT_TYPED(optimize,
                    [](const Ref<Expr>& node, Optional<Function> rewrite) { return Optimizer{rewrite}.run(node); });
JITFFI_EXPORT_ABI;
