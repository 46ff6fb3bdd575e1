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

/* Whether a reader lends the value itself. */
template <class Reader, class T, class = void>
struct Refers : std::false_type {};
template <class Reader, class T>
struct Refers<Reader, T, std::void_t<decltype(std::declval<Reader&>().ref())>>
    : std::is_same<decltype(std::declval<Reader&>().ref()), const T&> {};
template <class P, class Reader>
JITFFI_INLINE inline decltype(auto) pass(Reader&& reader) {
  if constexpr (std::is_lvalue_reference_v<P> && std::is_base_of_v<Object, Bare<P>>) {
    return *reader.get();
  } else if constexpr (std::is_lvalue_reference_v<P> && Refers<Reader, Bare<P>>::value) {
    return reader.ref();
  } else {
    return reader.get();
  }
}

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

/* What messages say of functions of a signature. */
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
  static constexpr jf_call_info info(const char* name) {
    return {name, sizeof...(A), sizeof...(A), params, Signature<R, A...>::result_text(), nullptr};
  }
  static constexpr const jf_param_info* method_params() { return of_method.params; }
};

template <class R>
struct Entry<Signature<R, Args, AnyValue*>> {
  static constexpr jf_call_info info(const char* name) { return {name, -1, 0, nullptr, "any", nullptr}; }
  static constexpr const jf_param_info* method_params() { return nullptr; }
};
template <class R>
struct Entry<Signature<R, const Args&, AnyValue*>> : Entry<Signature<R, Args, AnyValue*>> {};

/* A result of type R as an owned slot. */
template <class R, class Value>
JITFFI_INLINE inline int32_t give_result(Value&& value, jf_value* out) {
  if constexpr (!std::is_same_v<Read<R>, Bare<R>>) {
    return Type<Read<R>>::give(&value, out); /* an object by reference, as *this */
  } else if constexpr (std::is_same_v<R, Bare<R>>) {
    return Type<R>::give(static_cast<R&&>(value), out);
  } else {
    return Type<Bare<R>>::give(Bare<R>(static_cast<Value&&>(value)), out);
  }
}

/* How an argument that has no exact form is made one that has: by the type's Reader, in memory of the caller's. */
struct ArgumentType {
  std::size_t size;
  /* 0, or -1 with the error set; destroy() is to be called for either. */
  int32_t (*read)(void* memory, const jf_call_info* info, int32_t index, const jf_any* slot, jf_any* view,
                  jf_span* span);
  void (*destroy)(void* memory);
};
template <class A>
JITFFI_OWN int32_t read_argument(void* memory, const jf_call_info* info, int32_t index, const jf_any* slot,
                                 jf_any* view, jf_span* span) {
  using Reader = typename Type<A>::Reader;
  Reader* reader = new (memory) Reader;
  int32_t status;
  JITFFI_GUARDED(status, reader->read(info, index, slot));
  if (status == 0) Type<A>::view(pass<const A&>(*reader), view, span);
  return status;
}
template <class Reader>
JITFFI_OWN void destroy_reader(void* memory) {
  static_cast<Reader*>(memory)->~Reader();
}
template <class A>
struct ArgumentOf {
  using Reader = typename Type<A>::Reader;
  static_assert(alignof(Reader) <= 16, "readers are aligned to 16");
  static constexpr std::size_t size = (sizeof(Reader) + 15) / 16 * 16;
  JITFFI_OWN static constexpr ArgumentType value = {size, read_argument<A>, destroy_reader<Reader>};
};
/* Calls with the arguments as `rows` make them, in `memory` of their sizes; -1, and the call in the error's traceback, where one
 * cannot be read. */
using Run = int32_t (*)(jf_function* self, const jf_view* args, jf_value* out);
struct Converted {
  int32_t count;
  const ArgumentType* const* rows;
  unsigned char* memory;
  jf_any* views;
  jf_span* spans;
};
JITFFI_OWN JITFFI_APART inline int32_t run_converted(const Converted& to, jf_function* self, const jf_call_info* info,
                                                     const jf_view* args, jf_value* out, Run run) {
  int32_t status = 0, count = 0;
  unsigned char* memory = to.memory;
  for (; count < to.count && status == 0; count++) {
    const ArgumentType* row = to.rows[count];
    status = row->read(memory, info, count, &args[count], &to.views[count], &to.spans[count]);
    memory += row->size;
  }
  status = status == 0 ? run(self, to.views, out) : failed(info, out);
  while (count > 0) {
    count--;
    memory -= to.rows[count]->size;
    to.rows[count]->destroy(memory);
  }
  return status;
}

/* What function objects of C++ begin with. */
struct ClosureHead {
  jf_function function;
  const jf_call_info* info; /* of a CallInfo */
};
/* A function object with the callable in it, and behind it, if it has a name, what messages say of it. */
template <class F>
struct Closure : ClosureHead {
  F callable;
  static void destroy(jf_object* object) {
    reinterpret_cast<Closure*>(object)->callable.~F();
    jf_object_free_sized(object, sizeof(Closure));
  }
};

template <std::size_t, class A>
struct ReaderAt {
  typename Type<A>::Reader reader;
};
/* How the callables of a signature are called with arguments in slots. */
template <class S, class Indices = typename S::Indices>
struct Steps;
template <class R, class... A, std::size_t... I>
struct Steps<Signature<R, A...>, std::index_sequence<I...>> {
  static constexpr int32_t count = sizeof...(A);
  /* Whether all parameters have an Exact. */
  static constexpr bool is_exact = (has_exact<Read<A>> && ...);

  template <class F>
  static int32_t call(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
    Closure<F>* closure = reinterpret_cast<Closure<F>*>(self);
    if constexpr (is_exact) {
      if (num_args == count && (Type<Read<A>>::Exact::fits(&args[I]) && ...)) return run<F>(self, args, out);
      return convert(self, closure->info, num_args, args, out, run<F>);
    } else {
      if (enter(closure->callable, closure->info, num_args, args, out) == 0) return 0;
      return failed(closure->info, out);
    }
  }
  /* With arguments that are in their exact forms. */
  template <class F>
  static int32_t run(jf_function* self, [[maybe_unused]] const jf_view* args, jf_value* out) {
    Closure<F>* closure = reinterpret_cast<Closure<F>*>(self);
    int32_t status;
    if constexpr (std::is_void_v<R>) {
      JITFFI_GUARDED(status,
                     (closure->callable(pass<A>(typename Type<Read<A>>::Exact(&args[I]))...), set_null(out), 0));
    } else {
      JITFFI_GUARDED(status,
                     give_result<R>(closure->callable(pass<A>(typename Type<Read<A>>::Exact(&args[I]))...), out));
    }
    return status == 0 ? 0 : failed(closure->info, out);
  }
  JITFFI_APART static int32_t convert(jf_function* self, const jf_call_info* info, int32_t num_args,
                                      const jf_view* args, jf_value* out, Run run) {
    if (num_args != count) return jf_fail_arity(info, num_args), failed(info, out);
    if constexpr (count == 0) {
      return run(self, args, out);
    } else {
      static constexpr const ArgumentType* rows[] = {&ArgumentOf<Read<A>>::value...};
      alignas(16) unsigned char memory[(ArgumentOf<Read<A>>::size + ...)];
      jf_any views[sizeof...(A)];
      jf_span spans[sizeof...(A)];
      return run_converted({count, rows, memory, views, spans}, self, info, args, out, run);
    }
  }

  /* With any arguments, which are read one after the other. */
  template <class F>
  static int32_t enter(F& callable, const jf_call_info* info, int32_t num_args, const jf_view* args, jf_value* out) {
    if (num_args != count) return jf_fail_arity(info, num_args), -1;
    int32_t status;
    JITFFI_GUARDED(status, enter_read(callable, info, args, out));
    return status;
  }

 private:
  struct Readers : ReaderAt<I, Read<A>>... {};
  template <class F>
  JITFFI_INLINE static int32_t enter_read(F& callable, [[maybe_unused]] const jf_call_info* info,
                                          [[maybe_unused]] const jf_view* args, jf_value* out) {
    [[maybe_unused]] Readers all;
    if (!((static_cast<ReaderAt<I, Read<A>>&>(all).reader.read(info, I, &args[I]) == 0) && ...)) return -1;
    /* Parameters that are references are given what the reader holds. */
    if constexpr (std::is_void_v<R>) {
      callable(pass<A>(static_cast<ReaderAt<I, Read<A>>&>(all).reader)...);
      return set_null(out), 0;
    } else {
      return give_result<R>(callable(pass<A>(static_cast<ReaderAt<I, Read<A>>&>(all).reader)...), out);
    }
  }
};
/* The same of packed ones. */
template <class R, class Packed>
struct Steps<Signature<R, Packed, AnyValue*>, void> {
  template <class F>
  static int32_t call(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
    Closure<F>* closure = reinterpret_cast<Closure<F>*>(self);
    if (enter(closure->callable, closure->info, num_args, args, out) == 0) return 0;
    return failed(closure->info, out);
  }
  template <class F>
  static int32_t enter(F& callable, const jf_call_info*, int32_t num_args, const jf_view* args, jf_value* out) {
    int32_t status;
    JITFFI_GUARDED(status, give_packed(callable, Args(args, num_args), out));
    return status;
  }

 private:
  template <class F>
  static int32_t give_packed(F& callable, Args args, jf_value* out) {
    AnyValue result;
    callable(args, &result);
    return result.move_to(out);
  }
};

/* What messages say of a function without a name of its own. */
template <class Of>
struct Unnamed {
  JITFFI_OWN static constexpr CallInfo info = {Entry<Of>::info("function"), nullptr, 0};
};

/* What is known of a Closure<F> before there is one. */
struct ClosureCode {
  std::size_t size;
  jf_packed_call call;
  jf_deleter destroy;
  const char* signature;
  const jf_call_info* info;
  const jf_param_info* method_params; /* NULL of a packed one */
  std::size_t place, bytes;           /* where the callable lies, and how large it is */
  bool is_native;                     /* the callable is a pointer to a C function of the same types */
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

/* Whether copies of a callable are its bytes, and nothing has to be destroyed: of most. */
template <class F>
inline constexpr bool is_bytes = __is_trivially_copyable(F);
template <std::size_t size>
JITFFI_OWN void free_closure(jf_object* object) {
  jf_object_free_sized(object, size);
}
template <class F>
constexpr jf_deleter closure_deleter() {
  if constexpr (is_bytes<F>) {
    return free_closure<sizeof(Closure<F>)>;
  } else {
    return Closure<F>::destroy;
  }
}
template <class F>
struct CodeOf {
  using Of = typename SignatureOf<F>::Of;
  static_assert(alignof(Closure<F>) <= 16, "captures are aligned to 16");
  static constexpr std::size_t place = (sizeof(ClosureHead) + alignof(F) - 1) / alignof(F) * alignof(F);
  /* Others might throw through code that knows nothing of it. */
  static constexpr bool is_native = Of::is_native && std::is_pointer_v<F> && SignatureOf<F>::is_noexcept;
  JITFFI_OWN static constexpr ClosureCode code = {sizeof(Closure<F>),
                                                  Steps<Of>::template call<F>,
                                                  closure_deleter<F>(),
                                                  Of::is_packed ? nullptr : text_of_signature<Of>.data,
                                                  &Unnamed<Of>::info.info,
                                                  Entry<Of>::method_params(),
                                                  place,
                                                  sizeof(F),
                                                  is_native};
};
/* New, with the bytes of a callable. */
JITFFI_OWN inline jf_object* copy_closure(const ClosureCode& code, const void* callable, const char* name) {
  void* native = nullptr;
  if (code.is_native) std::memcpy(&native, callable, sizeof native);
  ClosureHead* made = new_closure(code, name, native);
  std::memcpy(reinterpret_cast<char*>(made) + code.place, callable, code.bytes);
  return &made->function.header;
}

/* A member function, as a callable whose first argument is the object, a pointer to it, or a reference that leads to it. */
template <class First, class Method, class Pointer = typename SignatureOf<Method>::Pointer>
struct WithObject;
template <class First, class T, class M, class R, class... A>
struct WithObject<First, M T::*, R (*)(A...)> {
  M T::* method;
  R operator()(First target, A... args) const {
    if constexpr (std::is_base_of_v<T, First>) {
      return (target.*method)(static_cast<A&&>(args)...);
    } else if constexpr (std::is_pointer_v<First>) {
      return (target->*method)(static_cast<A&&>(args)...);
    } else {
      return ((*target.operator->()).*method)(static_cast<A&&>(args)...);
    }
  }
};
template <class Method>
struct ClassOf;
template <class T, class M>
struct ClassOf<M T::*> {
  using Type = T;
};

/* New; `name` is for messages. */
template <class F>
JITFFI_INLINE inline jf_object* make_function(F callable, const char* name) {
  if constexpr (std::is_member_function_pointer_v<F>) {
    using T = typename ClassOf<F>::Type;
    using First = std::conditional_t<std::is_base_of_v<Object, T>, T*, T>;
    return make_function(WithObject<First, F>{callable}, name);
  } else if constexpr (!SignatureOf<F>::Of::is_known()) {
    return nullptr;
  } else if constexpr (is_bytes<F>) {
    return copy_closure(CodeOf<F>::code, &callable, name);
  } else {
    ClosureHead* made = new_closure(CodeOf<F>::code, name, nullptr);
    Unmade unmade{&made->function.header};
    new (&static_cast<Closure<F>*>(made)->callable) F(static_cast<F&&>(callable));
    unmade.object = nullptr;
    return &made->function.header;
  }
}

}  // namespace detail
}  // namespace jitffi

#endif
