/* Values by their structure, whatever object they are: equality, hash, and where two differ. */
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

}  // namespace jitffi

#endif
