"""C's own data: structs by value and by reference, arrays of them, variables, enums and variadic functions."""

import numpy as np

import jitffi

libc = jitffi.load_library(
    None,
    cdef="""
    typedef struct { int quot, rem; } division;
    division div(int numer, int denom);

    struct tm {
        int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
        long tm_gmtoff;
        const char *tm_zone;
    };
    struct tm *gmtime_r(const long *when, struct tm *result);
    long timegm(struct tm *when);

    enum sorting { BY_AGE, BY_NAME };
    extern int opterr;
    int snprintf(char *to, size_t size, const char *format, ...);
    """,
)

# By value: arguments and results are copies.
print("17 / 5:", libc.div(17, 5))

# By reference: C writes into the instance.
when = libc.types.tm()
libc.gmtime_r(jitffi.new("i64", 86400), when)
print("then:  ", 1900 + when.tm_year, when.tm_mon + 1, when.tm_mday, when.tm_zone)
when.tm_mday += 30
print("later: ", libc.timegm(when) // 86400, "days")


# A struct of ours, and a C function that sorts an array of it: the callable gets pointers into the array.
@jitffi.struct("demo.Person")
class Person:
    name: jitffi.cstr
    age: jitffi.i32

    def older(self) -> "Person":
        return Person(self.name, self.age + 1)


people = jitffi.new("demo.Person[3]")
for i, (name, age) in enumerate([("Ada", 36), ("Alan", 41), ("Grace", 29)]):
    people[i] = Person(name, age)
order = "func[(ptr[const demo.Person], ptr[const demo.Person]) -> i32]"
qsort = libc.bind("qsort", f"(ptr, u64, u64, {order}) -> void")
qsort(people, people.len, jitffi.sizeof(Person), lambda a, b: a.value.age - b.value.age)
print("sorted:", [(each.name, each.age) for each in people], people[0].older())

# NumPy's structured arrays are arrays of them.
Point = jitffi.struct("demo.Point", "x: f64, y: f64")
points = Point.array(3)
points["x"] = np.arange(3)
print("points:", points["x"], jitffi.offsetof(Point, "y"))

# Variables and enums are attributes; behind `...` values go by their types.
libc.opterr = 0
print("opterr:", libc.opterr, repr(libc.BY_NAME))
line = bytearray(40)
print("text:  ", line[: libc.snprintf(line, len(line), "%d %s %.2f", 7, "words", 0.5)])
