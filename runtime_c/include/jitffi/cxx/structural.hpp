/* Values by their structure, whatever object they are: equality, hash, where two differ, and graphs of them as JSON and bytes. */
#ifndef JITFFI_CXX_STRUCTURAL_HPP
#define JITFFI_CXX_STRUCTURAL_HPP

#include "../structural.h"
#include "standard.hpp"

namespace jitffi {

/* `flags`: JF_MAP_FREE_VARS, JF_SKIP_ELEMENTS. */
inline bool structural_equal(const AnyView& a, const AnyView& b, uint32_t flags = 0) {
  const int32_t equal = jf_structural_equal(a.slot(), b.slot(), flags);
  if (equal < 0) detail::throw_last();
  return equal != 0;
}
/* Equal for what is structurally equal, within one process. */
inline uint64_t structural_hash(const AnyView& value, uint32_t flags = 0) {
  uint64_t hash;
  detail::check(jf_structural_hash(value.slot(), flags, &hash));
  return hash;
}
/* For std::unordered_map and its like, by structure. */
struct StructuralHash {
  std::size_t operator()(const AnyView& value) const { return static_cast<std::size_t>(structural_hash(value)); }
};
struct StructuralEqual {
  bool operator()(const AnyView& left, const AnyView& right) const { return structural_equal(left, right); }
};
/* None where they are equal, else two paths to the first difference: tuples of steps (JF_STEP_*, name, index or key). */
inline Optional<Tuple<Tuple<>, Tuple<>>> first_structural_mismatch(const AnyView& a, const AnyView& b,
                                                                   uint32_t flags = 0) {
  AnyValue found;
  const int32_t equal = jf_structural_mismatch(a.slot(), b.slot(), flags, found.out());
  if (equal < 0) detail::throw_last();
  return found.done().cast<Optional<Tuple<Tuple<>, Tuple<>>>>();
}

/* A graph of containers and objects as JSON, and what such text holds: Python's to_json and from_json. `indent`: spaces a level,
 * -1 for one line. */
inline String to_json(const AnyView& value, int32_t indent = -1) {
  AnyValue made;
  detail::check(jf_to_json(value.slot(), indent, made.out()));
  return made.done().cast<String>();
}
inline AnyValue from_json(std::string_view text) {
  AnyValue made;
  detail::check(jf_from_json(text.data(), text.size(), made.out()));
  return std::move(made.done());
}
/* The same in the binary form. */
inline Bytes to_bytes(const AnyView& value) {
  AnyValue made;
  detail::check(jf_to_bytes(value.slot(), made.out()));
  return made.done().cast<Bytes>();
}
inline AnyValue from_bytes(std::string_view bytes) {
  AnyValue made;
  detail::check(jf_from_bytes(bytes.data(), bytes.size(), made.out()));
  return std::move(made.done());
}

}  // namespace jitffi

#endif
