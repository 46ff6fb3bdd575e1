/* Lifting: every kind of scalar against every kind of slot, text of all kinds, objects, and temporaries. */
#include <math.h>

#include "testhelper.h"

static const jf_param_info params[] = {{"a", "i8"}, {NULL, "f32"}, {"c", "optional[cstr]"}};
static const jf_call_info info = {"add", 3, 2, params, "i64"};

static void test_failures_say_where(void) {
  int64_t out;
  jf_any three_hundred = slot_of_int(300), text = slot_of_raw("abc"), null = null_out(0);
  CHECK(jf_lift_scalar(&info, 0, &three_hundred, JF_KIND_I8, &out) == -1);
  CHECK_ERROR("OverflowError: add: argument 1 'a': expected i8 (-128 to 127), got int 300");
  CHECK(jf_lift_scalar(&info, 1, &null, JF_KIND_F32, &out) == -1);
  CHECK_ERROR("TypeError: add: argument 2: expected f32, got null");
  CHECK(jf_lift_scalar(&info, -1, &text, JF_KIND_I64, &out) == -1);
  CHECK_ERROR("TypeError: add: result: expected i64, got str 'abc'");
  CHECK(jf_lift_scalar(NULL, 3, &text, JF_KIND_F64, &out) == -1);
  CHECK_ERROR("TypeError: function: argument 4: expected f64, got str 'abc'");
  CHECK(jf_lift_scalar(&info, 7, &text, JF_KIND_BOOL, &out) == -1);
  CHECK_ERROR("TypeError: add: argument 8: expected bool, got str 'abc'");
}

static int lifts(jf_any view, int32_t kind, int64_t* out) {
  *out = 0x5555555555555555;
  if (jf_lift_scalar(NULL, 0, &view, kind, out) == 0) return 'y';
  jf_error* error = (jf_error*)jf_error_take();
  int outcome = error->kind->data[0]; /* T or O */
  jf_object_release(&error->header);
  return outcome;
}

static void test_integer_ranges(void) {
  static const struct {
    int32_t kind;
    int64_t least, most; /* u64's own most is a uint */
  } ranges[] = {{JF_KIND_I8, -128, 127},
                {JF_KIND_I16, -32768, 32767},
                {JF_KIND_I32, INT32_MIN, INT32_MAX},
                {JF_KIND_U8, 0, 255},
                {JF_KIND_U16, 0, 65535},
                {JF_KIND_U32, 0, UINT32_MAX},
                {JF_KIND_I64, INT64_MIN, INT64_MAX},
                {JF_KIND_U64, 0, INT64_MAX}};
  const jf_any big = {JF_UINT, 0, {.v_uint64 = 1ull << 63}};
  int64_t out;
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
    const int32_t kind = ranges[i].kind;
    CHECK(lifts(slot_of_int(ranges[i].least), kind, &out) == 'y' && out == ranges[i].least);
    CHECK(lifts(slot_of_int(ranges[i].most), kind, &out) == 'y' && out == ranges[i].most);
    if (ranges[i].least != INT64_MIN) CHECK(lifts(slot_of_int(ranges[i].least - 1), kind, &out) == 'O');
    if (ranges[i].most != INT64_MAX) CHECK(lifts(slot_of_int(ranges[i].most + 1), kind, &out) == 'O');
    CHECK(lifts((jf_any){JF_BOOL, 0, {.v_int64 = 1}}, kind, &out) == 'y' && out == 1);
    CHECK(lifts(big, kind, &out) == (kind == JF_KIND_U64 ? 'y' : 'O'));
    CHECK(lifts(slot_of_float(1), kind, &out) == 'T');
    CHECK(lifts(slot_of_raw("1"), kind, &out) == 'T');
    CHECK(lifts(null_out(0), kind, &out) == 'T');
  }
  CHECK(lifts(big, JF_KIND_U64, &out) == 'y' && out == INT64_MIN);
}

static void test_bool_takes_bool_alone(void) {
  int64_t out;
  CHECK(lifts((jf_any){JF_BOOL, 0, {.v_int64 = 1}}, JF_KIND_BOOL, &out) == 'y' && out == 1);
  CHECK(lifts((jf_any){JF_BOOL, 0, {0}}, JF_KIND_BOOL, &out) == 'y' && out == 0);
  CHECK(lifts(slot_of_int(1), JF_KIND_BOOL, &out) == 'T');
  CHECK(lifts(slot_of_float(1), JF_KIND_BOOL, &out) == 'T');
}

static double as_double(int64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static int64_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void test_floats(void) {
  int64_t out;
  const jf_any most = {JF_UINT, 0, {.v_uint64 = UINT64_MAX}}, yes = {JF_BOOL, 0, {.v_int64 = 1}};
  CHECK(lifts(slot_of_float(-0.0), JF_KIND_F64, &out) == 'y' && out == INT64_MIN);
  CHECK(lifts(slot_of_int((1ll << 53) + 1), JF_KIND_F64, &out) == 'y' && as_double(out) == 9007199254740992.0);
  CHECK(lifts(most, JF_KIND_F64, &out) == 'y' && as_double(out) == 18446744073709551616.0);
  CHECK(lifts(yes, JF_KIND_F64, &out) == 'y' && as_double(out) == 1);
  CHECK(lifts(slot_of_float(0.1), JF_KIND_F32, &out) == 'y' && out == float_bits(0.1f));
  CHECK(lifts(slot_of_float(3.4028235e38), JF_KIND_F32, &out) == 'y');
  CHECK(lifts(slot_of_float(3.5e38), JF_KIND_F32, &out) == 'O');
  CHECK(lifts(slot_of_float(INFINITY), JF_KIND_F32, &out) == 'y' && out == float_bits(INFINITY));
  CHECK(lifts(slot_of_float(NAN), JF_KIND_F32, &out) == 'y' && out == float_bits(NAN));
  CHECK(lifts(most, JF_KIND_F32, &out) == 'y' && out == float_bits(1.8446744e19f));
  CHECK(lifts(slot_of_int(65504), JF_KIND_F16, &out) == 'y' && out == 0x7BFF);
  CHECK(lifts(slot_of_int(65520), JF_KIND_F16, &out) == 'O');
  CHECK(lifts(slot_of_float(-INFINITY), JF_KIND_F16, &out) == 'y' && out == 0xFC00);
  CHECK(lifts(slot_of_float(1), JF_KIND_BF16, &out) == 'y' && out == 0x3F80);
  CHECK(lifts(slot_of_float(3.4e38), JF_KIND_BF16, &out) == 'O');
  CHECK(lifts(slot_of_raw("1.0"), JF_KIND_F32, &out) == 'T');
  jf_any big = slot_of_float(1e300);
  CHECK(jf_lift_scalar(&info, 1, &big, JF_KIND_F32, &out) == -1);
  CHECK_ERROR("OverflowError: add: argument 2: expected f32 (-3.4028235e+38 to 3.4028235e+38), got float 1e+300");
}

static void test_boxes_pointers_and_references_are_opened(void) {
  jf_any plain = slot_of_int(42), pointer = {JF_ANY_PTR, 0, {.v_handle = &plain}};
  jf_object* object = jf_any_to_object(&plain, NULL);
  int64_t out;
  CHECK(lifts(pointer, JF_KIND_I32, &out) == 'y' && out == 42);
  CHECK(lifts(slot_of_object(object), JF_KIND_I32, &out) == 'y' && out == 42);
  CHECK(lifts((jf_any){JF_RVALUE, 0, {.v_rvalue = &object}}, JF_KIND_F64, &out) == 'y' && as_double(out) == 42);
  CHECK(object && object->ref_count == 1);
  jf_object_release(object);
}

static void test_ptr(void) {
  int anything;
  void* out = &anything;
  const jf_any null = null_out(0), integer = slot_of_int(-1), handle = {JF_HANDLE, 0, {.v_handle = &anything}};
  const jf_any big = {JF_UINT, 0, {.v_uint64 = UINT64_MAX - 1}}, word = slot_of_int(UINT32_MAX);
  const jf_any wide = slot_of_int((int64_t)UINT32_MAX + 1), tensor = {JF_DLTENSOR, 0, {.v_handle = &anything}};
  const jf_any yes = {JF_BOOL, 0, {.v_int64 = 1}}, text = slot_of_raw("x");
  CHECK(jf_lift_ptr(NULL, 0, &null, &out) == 0 && out == NULL);
  CHECK(jf_lift_ptr(NULL, 0, &handle, &out) == 0 && out == &anything);
  CHECK(jf_lift_ptr(NULL, 0, &integer, &out) == 0 && (intptr_t)out == -1);
  CHECK(jf_lift_ptr(NULL, 0, &word, &out) == 0 && (uintptr_t)out == UINT32_MAX);
  if (sizeof(void*) == 8) {
    CHECK(jf_lift_ptr(NULL, 0, &big, &out) == 0 && (uintptr_t)out == UINTPTR_MAX - 1);
    CHECK(jf_lift_ptr(NULL, 0, &wide, &out) == 0 && out != NULL);
  } else {
    CHECK(jf_lift_ptr(NULL, 0, &big, &out) == -1);
    CHECK_ERROR(
        "OverflowError: function: argument 1: expected ptr (-2147483648 to 4294967295), got int 18446744073709551614");
    CHECK(jf_lift_ptr(NULL, 0, &wide, &out) == -1);
    CHECK_ERROR("OverflowError: function: argument 1: expected ptr (-2147483648 to 4294967295), got int 4294967296");
  }
  CHECK(jf_lift_ptr(NULL, 0, &tensor, &out) == 0 && out == &anything);
  CHECK(jf_lift_ptr(NULL, 0, &yes, &out) == -1);
  CHECK_ERROR("TypeError: function: argument 1: expected ptr, got bool True");
  CHECK(jf_lift_ptr(NULL, 0, &text, &out) == -1);
  CHECK_ERROR("TypeError: function: argument 1: expected ptr, got str 'x'");
}

/* "häß" in every code that is text. */
static void test_text_of_every_code(void) {
  static const char utf8[] = "häß";
  jf_span span = {utf8, 5};
  jf_ucs4_span ucs4 = {U"häß", 3};
  jf_object *str = jf_str_new(utf8, 5), *wide = jf_ucs4_new(ucs4.data, 3);
  wide_slot padded = {null_out(32)};
  CHECK(jf_out_ucs4(&padded.slot, ucs4.data, 3) == 0);
  jf_any small = null_out(8);
  CHECK(jf_out_str(&small, utf8, 5) == 0);
  const jf_any views[] = {slot_of_raw(utf8),
                          {JF_STR_VIEW, 0, {.v_span = &span}},
                          {JF_UCS4_VIEW, 0, {.v_ucs4_span = &ucs4}},
                          slot_of_object(str),
                          slot_of_object(wide),
                          {JF_ANY_PTR, 0, {.v_handle = &padded}},
                          {JF_RVALUE, 0, {.v_rvalue = &str}},
                          small};
  for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
    jf_temps temps = {NULL};
    jf_span out = {NULL, 0};
    const char* text = NULL;
    CHECK(jf_lift_str(NULL, 0, &views[i], &out, &temps) == 0 && out.size == 5 && memcmp(out.data, utf8, 5) == 0);
    CHECK(jf_lift_cstr(NULL, 0, &views[i], &text, &temps) == 0);
    CHECK_TEXT(text, utf8);
    CHECK(jf_lift_bytes(NULL, 0, &views[i], &out, &temps) == -1);
    jf_object_release(jf_error_take());
    jf_temps_release(&temps);
    jf_temps_release(&temps);
  }
  jf_object_release(str);
  jf_object_release(wide);
}

static void test_what_is_no_text(void) {
  jf_temps temps = {NULL};
  jf_span out;
  const char* text;
  jf_any integer = slot_of_int(3), null = null_out(0);
  jf_span span = {"a\0b", 3};
  jf_any bytes = {JF_BYTE_ARRAY, 0, {.v_span = &span}}, view = {JF_STR_VIEW, 0, {.v_span = &span}};
  CHECK(jf_lift_str(NULL, 0, &integer, &out, &temps) == -1);
  CHECK_ERROR("TypeError: function: argument 1: expected str, got int 3");
  CHECK(jf_lift_cstr(NULL, 0, &null, &text, &temps) == -1);
  CHECK_ERROR("TypeError: function: argument 1: expected cstr, got null");
  CHECK(jf_lift_cstr(NULL, 0, &bytes, &text, &temps) == -1);
  CHECK_ERROR("TypeError: function: argument 1: expected cstr, got bytes 'a\\x00b'");
  CHECK(jf_lift_bytes(NULL, 0, &view, &out, &temps) == -1);
  CHECK_ERROR("TypeError: function: argument 1: expected bytes, got str 'a\\x00b'");
  CHECK(jf_lift_bytes(NULL, 0, &bytes, &out, &temps) == 0 && out.size == 3 && out.data == span.data);
  CHECK(jf_lift_str(NULL, 0, &view, &out, &temps) == 0 && out.size == 3);
  CHECK(jf_lift_cstr(NULL, 0, &view, &text, &temps) == -1);
  CHECK_ERROR("ValueError: function: argument 1: expected cstr, got str with an embedded NUL at byte 1");
  jf_ucs4_span surrogate = {(const jf_char32[]){'a', 0xDC00}, 2};
  jf_any wide = {JF_UCS4_VIEW, 0, {.v_ucs4_span = &surrogate}};
  CHECK(jf_lift_str(&info, 2, &wide, &out, &temps) == -1);
  CHECK_ERROR(
      "UnicodeEncodeError: add: argument 3 'c': expected optional[cstr], got ucs4 with a code point that is no "
      "character, a surrogate or beyond 0x10ffff");
  jf_temps_release(&temps);
}

static void test_empty_text_has_an_address(void) {
  jf_temps temps = {NULL};
  jf_span out, empty = {NULL, 0};
  jf_any view = {JF_STR_VIEW, 0, {.v_span = &empty}};
  CHECK(jf_lift_str(NULL, 0, &view, &out, &temps) == 0 && out.data && out.size == 0);
  view.type_code = JF_BYTE_ARRAY;
  CHECK(jf_lift_bytes(NULL, 0, &view, &out, &temps) == 0 && out.data && out.size == 0);
  jf_temps_release(&temps);
}

static void test_objects(void) {
  jf_temps temps = {NULL};
  jf_object* out;
  jf_object* text = jf_str_new("x", 1);
  jf_function* function = jf_object_new(sizeof *function, JF_FUNCTION, NULL);
  const jf_any view = slot_of_object(text), callable = {JF_FUNCTION, 0, {.v_object = &function->header}};
  const jf_any integer = slot_of_int(3), raw = slot_of_raw("raw"), null = null_out(0);
  const jf_any bytes = {JF_SMALL_BYTES, 1, {.v_bytes = "b"}}, wide = {JF_SMALL_UCS4, 1, {.v_char32 = {0x1F600}}};
  int64_t pointee = 0;
  const jf_any tensor = {JF_DLTENSOR, 0, {.v_handle = &pointee}}, moved = {JF_RVALUE, 0, {.v_rvalue = &text}};
  CHECK(jf_lift_object(NULL, 0, &view, JF_ROOT, &out, &temps) == 0 && out == text && text->ref_count == 1);
  CHECK(jf_lift_object(NULL, 0, &moved, JF_ROOT, &out, &temps) == 0 && out == text && text->ref_count == 1);
  CHECK(jf_lift_object(NULL, 0, &callable, JF_FUNCTION, &out, &temps) == 0 && out == &function->header);
  CHECK(!temps.head);
  CHECK(jf_lift_object(NULL, 0, &integer, JF_ROOT, &out, &temps) == 0 && out->type_code == JF_BOXED_INT);
  CHECK(jf_lift_object(NULL, 0, &raw, JF_STR, &out, &temps) == 0 && out->type_code == JF_STR);
  CHECK(jf_lift_object(NULL, 0, &bytes, JF_ROOT, &out, &temps) == 0 && out->type_code == JF_BYTES);
  CHECK(jf_lift_object(NULL, 0, &wide, JF_UCS4, &out, &temps) == 0 && out->type_code == JF_UCS4);
  CHECK(jf_lift_object(NULL, 0, &view, JF_FUNCTION, &out, &temps) == -1);
  CHECK_ERROR("TypeError: function: argument 1: expected function, got str 'x'");
  CHECK(jf_lift_object(NULL, 0, &integer, JF_FUNCTION, &out, &temps) == -1);
  CHECK_ERROR("TypeError: function: argument 1: expected function, got int 3");
  CHECK(jf_lift_object(NULL, 0, &null, JF_ROOT, &out, &temps) == -1);
  CHECK_ERROR("TypeError: function: argument 1: expected object, got null");
  CHECK(jf_lift_object(NULL, 0, &tensor, JF_ROOT, &out, &temps) == -1);
  CHECK_ERROR(
      "ValueError: function: argument 1: expected object, got a borrowed DLTensor, which cannot be kept: pass an "
      "nd-array");
  jf_temps_release(&temps);
  jf_object_release(text);
  jf_object_release(&function->header);
}

static char order[8];
static void note(void* resource) { strncat(order, resource, 1); }

static void test_temporaries_go_newest_first(void) {
  jf_temps temps = {NULL};
  order[0] = 0;
  CHECK(jf_temps_add(&temps, "a", note) == 0 && jf_temps_add(&temps, "b", note) == 0 &&
        jf_temps_add(&temps, "c", note) == 0);
  jf_temps_release(&temps);
  CHECK_TEXT(order, "cba");
}

static int32_t lift_many(void) {
  jf_temps temps = {NULL};
  jf_span span = {"text", 4}, out;
  const char* text;
  jf_object* object;
  jf_ucs4_span ucs4 = {U"text", 4};
  jf_any view = {JF_STR_VIEW, 0, {.v_span = &span}}, wide = {JF_UCS4_VIEW, 0, {.v_ucs4_span = &ucs4}},
         integer = slot_of_int(3);
  int32_t status = jf_lift_cstr(&info, 2, &view, &text, &temps);
  if (status == 0) status = jf_lift_str(&info, 2, &wide, &out, &temps);
  if (status == 0) status = jf_lift_object(&info, 0, &integer, JF_ROOT, &object, &temps);
  if (status == 0) status = jf_lift_object(&info, 0, &view, JF_ROOT, &object, &temps);
  jf_temps_release(&temps);
  return status;
}

static void test_without_memory(void) { SURVIVES(lift_many); }

static const char host_owner;

/* An object of another language that is 300, 2.5 and "span", or refuses. */
static int32_t read_host(jf_object* object, int32_t code, jf_any* out, jf_span* span, jf_temps* temps) {
  (void)temps;
  const char* handle = ((const jf_host_object*)object)->handle;
  if (!handle) return 0;
  if (*handle == '!') {
    jf_error_set("ZeroDivisionError", "of the object's own");
    return -1;
  }
  *out = (jf_any){.type_code = code};
  if (code == JF_INT) out->v_int64 = 300;
  if (code == JF_FLOAT) out->v_float64 = 2.5;
  if (code == JF_BYTE_ARRAY) *span = (jf_span){"span", 4};
  return 1;
}

static void test_objects_of_another_language(void) {
  static char number[] = "a number", failing[] = "!";
  int64_t out;
  jf_span bytes;
  jf_temps temps = {NULL};
  jf_object* objects[3] = {jf_host_object_new(&host_owner, number, jf_object_free),
                           jf_host_object_new(&host_owner, NULL, jf_object_free),
                           jf_host_object_new(&host_owner, failing, jf_object_free)};
  jf_any views[3];
  for (int i = 0; i < 3; i++) views[i] = (jf_any){.type_code = JF_OBJECT, .v_object = objects[i]};
  CHECK(jf_lift_scalar(&info, 0, &views[0], JF_KIND_I64, &out) == -1);
  jf_object_release(jf_error_take());
  jf_set_host_reader(read_host);
  CHECK(jf_lift_scalar(&info, 0, &views[0], JF_KIND_I64, &out) == 0 && out == 300);
  CHECK(jf_lift_scalar(&info, 0, &views[0], JF_KIND_I8, &out) == -1);
  jf_error* error = (jf_error*)jf_error_take();
  CHECK(error && strncmp(error->kind->data, "OverflowError", 13) == 0);
  jf_object_release(&error->header);
  double number_out;
  CHECK(jf_lift_scalar(&info, 1, &views[0], JF_KIND_F64, &number_out) == 0 && number_out == 2.5);
  CHECK(jf_lift_bytes(&info, 0, &views[0], &bytes, &temps) == 0 && bytes.size == 4 &&
        memcmp(bytes.data, "span", 4) == 0);
  CHECK(jf_lift_scalar(&info, 0, &views[0], JF_KIND_BOOL, &out) == -1);
  jf_object_release(jf_error_take());
  CHECK(jf_lift_bytes(&info, 0, &views[1], &bytes, &temps) == -1);
  jf_object_release(jf_error_take());
  CHECK(jf_lift_scalar(&info, 0, &views[2], JF_KIND_I64, &out) == -1);
  CHECK_ERROR("ZeroDivisionError: of the object's own");
  CHECK(jf_lift_bytes(&info, 0, &views[2], &bytes, &temps) == -1);
  CHECK_ERROR("ZeroDivisionError: of the object's own");
  jf_set_host_reader(NULL);
  jf_temps_release(&temps);
  for (int i = 0; i < 3; i++) jf_object_release(objects[i]);
}

int main(void) {
  RUN(test_failures_say_where);
  RUN(test_integer_ranges);
  RUN(test_bool_takes_bool_alone);
  RUN(test_floats);
  RUN(test_boxes_pointers_and_references_are_opened);
  RUN(test_ptr);
  RUN(test_text_of_every_code);
  RUN(test_what_is_no_text);
  RUN(test_empty_text_has_an_address);
  RUN(test_objects);
  RUN(test_temporaries_go_newest_first);
  RUN(test_objects_of_another_language);
  RUN(test_without_memory);
  return finish();
}
