/* The containers of nanobind: vector and unordered_map bound as its manual says, and a conversion back in one call. */
#include <nanobind/nanobind.h>
#include <nanobind/stl/bind_map.h>
#include <nanobind/stl/bind_vector.h>
#include <nanobind/stl/string.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace nb = nanobind;

struct Ints : std::vector<int64_t> {
  using std::vector<int64_t>::vector;
};
struct Texts : std::vector<std::string> {
  using std::vector<std::string>::vector;
};
struct Counts : std::unordered_map<std::string, int64_t> {};
NB_MAKE_OPAQUE(Ints)
NB_MAKE_OPAQUE(Texts)
NB_MAKE_OPAQUE(Counts)

NB_MODULE(nanobind_containers, m) {
  nb::bind_vector<Ints>(m, "Ints").def("to_list", [](const Ints& all) {
    nb::list made;
    for (int64_t one : all) made.append(one);
    return made;
  });
  nb::bind_vector<Texts>(m, "Texts").def("to_list", [](const Texts& all) {
    nb::list made;
    for (const std::string& one : all) made.append(one);
    return made;
  });
  nb::bind_map<Counts>(m, "Counts").def("to_dict", [](const Counts& all) {
    nb::dict made;
    for (const auto& [key, value] : all) made[nb::str(key.data(), key.size())] = value;
    return made;
  });
}
