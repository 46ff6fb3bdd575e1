/* The programs of this folder, compiled in one go; the argument names the one that is run. */
#include "containers.cpp"
#include "errors.cpp"
#include "functions.cpp"
#include "modules.cpp"
#include "objects.cpp"
#include "standard.cpp"
#include "values.cpp"
#include "variants.cpp"

int main(int, char** arguments) {
  for (const Program* each = Program::first; each; each = each->next) {
    if (std::strcmp(each->name, arguments[1]) != 0) continue;
    each->body();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  return 2; /* there is none of that name */
}
