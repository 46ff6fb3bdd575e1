/* C++ callables as function objects: a Closure holds the callable, with what it captures, and its packed call.
 *
 *   call --> every argument is in its type's exact form ----> run          the callable, with what lies in the slots
 *        \-> else                            convert ----> run          with views of what was read
 *
 * The first way needs no memory for conversions, and nothing is to be undone after it. Functions with a parameter whose type
 * has no exact form read their arguments at each call.
 */
#ifndef JITFFI_CXX_CLOSURE_HPP
#define JITFFI_CXX_CLOSURE_HPP

#include "signature.hpp"
#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#endif

namespace jitffi {
namespace detail {

/* -- entering a C++ callable ----------------------------------------------------------------------------------------- */

template <std::size_t I, class A>
struct ReaderAt {
  typename Type<A>::Reader reader;
};
/* Whether a reader lends the value itself. */
template <class Reader, class T, class = void>
struct Refers : std::false_type {};
template <class Reader, class T>
struct Refers<Reader, T, std::void_t<decltype(std::declval<Reader&>().ref())>>
    : std::is_same<decltype(std::declval<Reader&>().ref()), const T&> {};
template <class P, class Reader>
decltype(auto) pass(Reader&& reader) {
  if constexpr (std::is_lvalue_reference_v<P> && std::is_base_of_v<Object, Bare<P>>) {
    return *reader.get();
  } else if constexpr (std::is_lvalue_reference_v<P> && Refers<Reader, Bare<P>>::value) {
    return reader.ref();
  } else {
    return reader.get();
  }
}
template <class Indices, class... A>
struct Readers;
template <std::size_t... I, class... A>
struct Readers<std::index_sequence<I...>, A...> : ReaderAt<I, A>... {
  int32_t read([[maybe_unused]] const jf_call_info* info, [[maybe_unused]] const jf_view* args) {
    return ((ReaderAt<I, A>::reader.read(info, static_cast<int32_t>(I), &args[I]) == 0) && ...) ? 0 : -1;
  }
  void view(jf_any* views, jf_span* spans) {
    (Type<A>::view(pass<const A&>(ReaderAt<I, A>::reader), &views[I], &spans[I]), ...);
  }
  /* Parameters that are references are given what the reader holds. */
  template <class R, class... P, class F>
  R call(F& callable) {
    return callable(pass<P>(ReaderAt<I, A>::reader)...);
  }
};

/* What messages say of a function, and where it was registered, as far as that is known. */
struct CallInfo {
  jf_call_info info; /* first */
  const char* file;  /* for ever; NULL: it is not known */
  int32_t line;
};
/* The call of the function is the place that an error has passed: the name and types of jf_error_add_call, in the file of the function. */
JITFFI_OWN JITFFI_COLD inline void add_call(const CallInfo& told) noexcept {
  if (!told.file) return jf_error_add_call(&told.info);
  char text[512];
  std::size_t size = 0;
  const auto add = [&](const char* first, const char* second) {
    const int more = std::snprintf(text + size, sizeof text - size, "%s%s", first ? first : "", second ? second : "");
    size = (std::min)(size + static_cast<std::size_t>(more > 0 ? more : 0), sizeof text - 1);
  };
  add(told.info.name, "(");
  for (int32_t i = 0; told.info.params && i < told.info.num_params; i++) {
    const jf_param_info& param = told.info.params[i];
    add(i ? ", " : "", param.name);
    add(param.name ? ": " : "", param.type);
  }
  add(told.info.params || told.info.num_params == 0 ? ") -> " : "...) -> ", told.info.result);
  jf_error_add_frame(told.file, told.line, text);
}

/* -1, with *out null and the call in the error's traceback. `info` is that of a CallInfo. */
JITFFI_OWN JITFFI_COLD inline int32_t failed(const jf_call_info* info, jf_value* out) noexcept {
  if (is_counted(*out)) jf_any_release(out); /* set_error was called, and a result given */
  set_null(out);
  add_call(*reinterpret_cast<const CallInfo*>(info));
  return -1;
}

template <class S>
struct Entry;
template <class R, class... A>
struct Entry<Signature<R, A...>> {
  JITFFI_OWN static constexpr jf_param_info params[sizeof...(A) + 1] = {{nullptr, type_text<Read<A>>.data, nullptr}...,
                                                                        {nullptr, nullptr, nullptr}};
  /* The same of a method, whose arguments are counted behind the object. */
  struct MethodParams {
    jf_param_info params[sizeof...(A) + 1];
    constexpr MethodParams() : params{{nullptr, type_text<Read<A>>.data, nullptr}..., {nullptr, nullptr, nullptr}} {
      params[0].name = jf_self;
    }
  };
  JITFFI_OWN static constexpr MethodParams of_method = {};
  JITFFI_OWN static constexpr auto result = Signature<R, A...>::result_text();
  static constexpr jf_call_info info(const char* name) {
    return {name, sizeof...(A), sizeof...(A), params, result.data, nullptr};
  }
  using Indices = std::index_sequence_for<A...>;
  static constexpr int32_t count = sizeof...(A);

  template <class F>
  static int32_t enter(F& callable, const jf_call_info* info, int32_t num_args, const jf_view* args, jf_value* out) {
    if (num_args != count) return jf_fail_arity(info, num_args), -1;
    return guarded([&] {
      Readers<Indices, Read<A>...> readers;
      if (readers.read(info, args) != 0) return -1;
      if constexpr (std::is_void_v<R>) {
        readers.template call<R, A...>(callable);
        return set_null(out), 0;
      } else {
        return give(readers.template call<R, A...>(callable), out);
      }
    });
  }

  /* The same in two steps, where all parameters have an Exact. */
  static constexpr bool is_exact = (has_exact<Read<A>> && ...);
  template <std::size_t... I>
  static bool fits([[maybe_unused]] const jf_view* args, std::index_sequence<I...>) noexcept {
    return (Type<Read<A>>::Exact::fits(&args[I]) && ...);
  }
  template <class F, std::size_t... I>
  static int32_t run(F& callable, [[maybe_unused]] const jf_view* args, jf_value* out, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>) {
      callable(pass<A>(typename Type<Read<A>>::Exact(&args[I]))...);
      return set_null(out), 0;
    } else {
      return give(callable(pass<A>(typename Type<Read<A>>::Exact(&args[I]))...), out);
    }
  }
  using Run = int32_t (*)(jf_function* self, const jf_view* args, jf_value* out);
  JITFFI_APART static int32_t convert(jf_function* self, const jf_call_info* info, int32_t num_args,
                                      const jf_view* args, jf_value* out, Run run) {
    if (num_args != count) return jf_fail_arity(info, num_args), failed(info, out);
    if constexpr (count == 0) {
      return run(self, args, out);
    } else {
      Readers<Indices, Read<A>...> readers;
      if (guarded([&] { return readers.read(info, args); }) != 0) return failed(info, out);
      jf_any views[sizeof...(A)];
      jf_span spans[sizeof...(A)];
      readers.view(views, spans);
      return run(self, views, out);
    }
  }

 private:
  using Given = std::conditional_t<std::is_void_v<R>, std::nullptr_t, R>;
  static int32_t give(Given&& value, jf_value* out) {
    if constexpr (!std::is_same_v<Read<R>, Bare<R>>) {
      return Type<Read<R>>::give(&value, out); /* an object by reference, as *this */
    } else if constexpr (std::is_same_v<R, Bare<R>>) {
      return Type<R>::give(std::move(value), out);
    } else {
      return Type<Bare<R>>::give(Bare<R>(std::forward<Given>(value)), out);
    }
  }
};
template <class R>
struct Entry<Signature<R, Args, AnyValue*>> {
  static constexpr jf_call_info info(const char* name) { return {name, -1, 0, nullptr, "any", nullptr}; }
  static constexpr bool is_exact = false;
  template <class F>
  static int32_t enter(F& callable, const jf_call_info*, int32_t num_args, const jf_view* args, jf_value* out) {
    return guarded([&] {
      AnyValue result;
      callable(Args(args, num_args), &result);
      return result.move_to(out);
    });
  }
};
template <class R>
struct Entry<Signature<R, const Args&, AnyValue*>> : Entry<Signature<R, Args, AnyValue*>> {};

template <class F>
int32_t enter(F& callable, const jf_call_info* info, int32_t num_args, const jf_view* args, jf_value* out) {
  if (Entry<typename SignatureOf<F>::Of>::enter(callable, info, num_args, args, out) == 0) return 0;
  if (is_counted(*out)) jf_any_release(out); /* set_error was called, and a result given */
  set_null(out);
  return -1;
}

/* What messages say of a function without a name of its own. */
template <class Of>
struct Unnamed {
  JITFFI_OWN static constexpr CallInfo info = {Entry<Of>::info("function"), nullptr, 0};
};

/* What function objects of C++ begin with. */
struct ClosureHead {
  jf_function function;
  const jf_call_info* info; /* of a CallInfo */
};
/* A function object with the callable in it, and behind it, if it has a name, what messages say of it. */
template <class F>
struct Closure : ClosureHead {
  F callable;

  static int32_t call(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
    using To = Entry<typename SignatureOf<F>::Of>;
    Closure* closure = reinterpret_cast<Closure*>(self);
    if constexpr (To::is_exact) {
      if (num_args == To::count && To::fits(args, typename To::Indices())) return run(self, args, out);
      return To::convert(self, closure->info, num_args, args, out, run);
    } else {
      if (To::enter(closure->callable, closure->info, num_args, args, out) == 0) return 0;
      return failed(closure->info, out);
    }
  }
  static int32_t run(jf_function* self, const jf_view* args, jf_value* out) {
    using To = Entry<typename SignatureOf<F>::Of>;
    Closure* closure = reinterpret_cast<Closure*>(self);
    if (guarded([&] { return To::run(closure->callable, args, out, typename To::Indices()); }) == 0) return 0;
    return failed(closure->info, out);
  }
  static void destroy(jf_object* object) {
    reinterpret_cast<Closure*>(object)->callable.~F();
    jf_object_free_sized(object, sizeof(Closure));
  }
};
/* What is known of a Closure<F> before there is one. */
struct ClosureCode {
  std::size_t size;
  jf_packed_call call;
  jf_deleter destroy;
  const char* signature;
  const jf_call_info* info;
};

/* The code of function objects is this library's: once one is made it is never unloaded. */
JITFFI_OWN inline bool keep_loaded([[maybe_unused]] const void* code) {
#if (defined(__unix__) || defined(__APPLE__)) && defined(RTLD_NOLOAD) && defined(RTLD_NODELETE)
  Dl_info found;
  if (dladdr(code, &found) && found.dli_fname) {
    return dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
  }
#endif
  return false;
}
JITFFI_OWN inline void keep_loaded_once(const void* code) {
  [[maybe_unused]] static const bool kept = keep_loaded(code);
}

/* A Closure but for its callable, which the caller makes. `name` is for messages; `native`, a C function of the same types, may
 * be NULL. */
JITFFI_OWN inline ClosureHead* new_closure(const ClosureCode& code, const char* name, void* native) {
  keep_loaded_once(reinterpret_cast<const void*>(code.call));
  const char* kept = name ? jf_intern(name) : "";
  const char* types = native ? jf_intern(code.signature) : nullptr;
  if (!kept || (native && !types)) throw_last();
  constexpr std::size_t align = alignof(CallInfo);
  const std::size_t size = (code.size + align - 1) / align * align;
  void* memory = jf_object_new(size + (name ? sizeof(CallInfo) : 0), JF_FUNCTION, code.destroy);
  if (!memory) throw_last();
  ClosureHead* made = static_cast<ClosureHead*>(memory);
  made->function.call = code.call;
  made->function.signature = code.signature;
  made->function.native = native;
  made->function.types = types;
  made->info = code.info;
  if (name) {
    CallInfo* told = new (static_cast<char*>(memory) + size) CallInfo{*code.info, nullptr, 0};
    told->info.name = kept;
    made->info = &told->info;
  }
  return made;
}

/* A new function object that has been given a name was registered there. */
JITFFI_OWN JITFFI_COLD inline void set_place(jf_object* function, const Where& where) {
  const jf_call_info* info = reinterpret_cast<ClosureHead*>(function)->info;
  CallInfo* told = reinterpret_cast<CallInfo*>(const_cast<jf_call_info*>(info));
  told->file = jf_intern(where.file); /* the library that has the text may go */
  told->line = where.line;
  if (!told->file) throw_last();
}

/* Frees an object whose captures could not be made. */
struct Unmade {
  jf_object* object;
  ~Unmade() {
    if (object) jf_object_free(object);
  }
};

template <class F>
struct CodeOf {
  using Of = typename SignatureOf<F>::Of;
  JITFFI_OWN static constexpr ClosureCode code = {sizeof(Closure<F>), Closure<F>::call, Closure<F>::destroy,
                                                  Of::is_packed ? nullptr : text_of_signature<Of>.data,
                                                  &Unnamed<Of>::info.info};
};

/* New; `name` is for messages. */
template <class F>
jf_object* make_closure(F callable, const char* name) {
  static_assert(alignof(Closure<F>) <= 16, "captures are aligned to 16");
  void* native = nullptr;
  if constexpr (SignatureOf<F>::Of::is_native && std::is_pointer_v<F> && SignatureOf<F>::is_noexcept) {
    native = reinterpret_cast<void*>(callable); /* others might throw through code that knows nothing of it */
  }
  ClosureHead* made = new_closure(CodeOf<F>::code, name, native);
  void* place = &static_cast<Closure<F>*>(made)->callable;
  if constexpr (std::is_nothrow_move_constructible_v<F>) {
    new (place) F(std::move(callable));
  } else {
    Unmade unmade{&made->function.header};
    new (place) F(std::move(callable));
    unmade.object = nullptr;
  }
  return &made->function.header;
}

template <class Method>
struct ClassOf;
template <class T, class M>
struct ClassOf<M T::*> {
  using Type = T;
};
/* A member function, as one whose first argument is the object, a pointer to it, or a reference that leads to it. */
template <class First, class Method, class R, class... A>
auto with_object(Method method, R (*)(A...)) {
  return [method](First target, A... args) -> R {
    if constexpr (std::is_base_of_v<typename ClassOf<Method>::Type, First>) {
      return (target.*method)(std::forward<A>(args)...);
    } else if constexpr (std::is_pointer_v<First>) {
      return (target->*method)(std::forward<A>(args)...);
    } else {
      return ((*target.operator->()).*method)(std::forward<A>(args)...);
    }
  };
}

template <class F>
jf_object* make_function(F callable, const char* name) {
  if constexpr (std::is_member_function_pointer_v<F>) {
    using T = typename ClassOf<F>::Type;
    using First = std::conditional_t<std::is_base_of_v<Object, T>, T*, T>;
    return make_function(with_object<First>(callable, typename SignatureOf<F>::Pointer(nullptr)), name);
  } else if constexpr (SignatureOf<F>::Of::is_known()) {
    return make_closure<F>(std::move(callable), name);
  } else {
    return nullptr;
  }
}

}  // namespace detail
}  // namespace jitffi

#endif
