/* Names of data types and devices: every value there and back, every spelling that is none. */
#include "testhelper.h"

static int dtype_of(const char* text, jf_dtype* out) { return jf_dtype_parse(text, strlen(text), out); }
static int device_of(const char* text, jf_device* out) { return jf_device_parse(text, strlen(text), out); }

static void test_names_of_data_types(void) {
  static const struct {
    const char* name;
    jf_dtype dtype;
  } known[] = {{"int8", {0, 8, 1}},
               {"uint64", {1, 64, 1}},
               {"float32", {2, 32, 1}},
               {"float16x4", {2, 16, 4}},
               {"int4x8", {0, 4, 8}},
               {"handle", {3, 64, 1}},
               {"bfloat16", {4, 16, 1}},
               {"complex64", {5, 64, 1}},
               {"complex128x2", {5, 128, 2}},
               {"bool", {6, 8, 1}},
               {"boolx16", {6, 8, 16}},
               {"bool1", {6, 1, 1}},
               {"float8_e3m4", {7, 8, 1}},
               {"float8_e4m3", {8, 8, 1}},
               {"float8_e4m3b11fnuz", {9, 8, 1}},
               {"float8_e4m3fn", {10, 8, 1}},
               {"float8_e4m3fnuz", {11, 8, 1}},
               {"float8_e5m2", {12, 8, 1}},
               {"float8_e5m2fnuz", {13, 8, 1}},
               {"float8_e8m0fnu", {14, 8, 1}},
               {"float6_e2m3fn", {15, 6, 1}},
               {"float6_e3m2fn", {16, 6, 1}},
               {"float4_e2m1fn", {17, 4, 1}},
               {"float4_e2m1fnx2", {17, 4, 2}},
               {"void", {3, 0, 0}},
               {"code200.4", {200, 4, 1}}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    char text[JF_DTYPE_SIZE];
    jf_dtype read = {99, 99, 99};
    CHECK(dtype_of(known[i].name, &read) == 0);
    CHECK(memcmp(&read, &known[i].dtype, sizeof read) == 0);
    CHECK(jf_dtype_format(known[i].dtype, text, sizeof text) == strlen(known[i].name));
    CHECK_TEXT(text, known[i].name);
  }
}

static void test_short_names_of_small_floats(void) {
  static const struct {
    const char* name;
    jf_dtype dtype;
  } known[] = {{"f8_e4m3", {8, 8, 1}},          {"fp8_e4m3fn", {10, 8, 1}},   {"f8_e8m0fnu", {14, 8, 1}},
               {"fp6_e3m2fnx4", {16, 6, 4}},    {"f4_e2m1fn_x2", {17, 4, 2}}, {"fp4_e2m1fnx2", {17, 4, 2}},
               {"float4_e2m1fn_x2", {17, 4, 2}}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    jf_dtype read = {99, 99, 99};
    CHECK(dtype_of(known[i].name, &read) == 0);
    CHECK(memcmp(&read, &known[i].dtype, sizeof read) == 0);
  }
  static const char* const none[] = {"f8_",    "f8_e4m3_", "f8_e4m3fn_y2", "fp32",
                                     "f_e4m3", "f32_x2",   "float32_x2",   "f8_e4m3__x2"};
  jf_dtype ignored;
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) CHECK(dtype_of(none[i], &ignored) == -1);
}

static void test_every_data_type_has_a_name_of_its_own(void) {
  static const uint16_t lanes[] = {0, 1, 2, 65535};
  for (int code = 0; code < 256; code++) {
    for (int bits = 0; bits < 256; bits++) {
      for (size_t i = 0; i < 4; i++) {
        const jf_dtype dtype = {(uint8_t)code, (uint8_t)bits, lanes[i]};
        char text[JF_DTYPE_SIZE];
        jf_dtype read;
        const size_t size = jf_dtype_format(dtype, text, sizeof text);
        if (jf_dtype_parse(text, size, &read) != 0 || memcmp(&read, &dtype, sizeof read) != 0) {
          CHECK_TEXT(text, "a name that leads back");
          return;
        }
      }
    }
  }
}

static void test_what_names_no_data_type(void) {
  static const char* const wrong[] = {
      "",        "float",   "int",          "flaot32", "float32 ", " float32", "float032",  "float256",
      "int0",    "int8x",   "int8x65536",   "int8x-1", "int-8",    "Float32",  "float32x",  "xint8",
      "x4",      "float8_", "float8_e4m3f", "code1",   "code1.",   "code1.8.", "code256.1", "int99999999999999999999",
      "boolean", "bfloat"};
  jf_dtype ignored;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    if (dtype_of(wrong[i], &ignored) == 0) CHECK_TEXT("accepted", wrong[i]);
  }
  CHECK(jf_dtype_parse("float32", 6, &ignored) == 0 && ignored.bits == 3); /* what the size cuts off is not read */
  CHECK(jf_dtype_parse("int8\0", 5, &ignored) == -1);
}

static void test_names_of_devices(void) {
  static const char* const names[] = {
      "cpu:0",       "cuda:1",    "cuda_host:0",    "opencl:2", "vulkan:0", "metal:0",   "vpi:0",  "rocm:7",
      "rocm_host:0", "ext_dev:0", "cuda_managed:0", "oneapi:0", "webgpu:0", "hexagon:0", "maia:0", "trn:2147483647"};
  static const int32_t types[] = {1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  char text[JF_DEVICE_SIZE];
  jf_device device;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    CHECK(device_of(names[i], &device) == 0 && device.device_type == types[i]);
    CHECK(jf_device_format(device, text, sizeof text) == strlen(names[i]));
    CHECK_TEXT(text, names[i]);
  }
  CHECK(device_of("cpu", &device) == 0 && device.device_type == 1 && device.device_id == 0);
  CHECK_TEXT(jf_device_name(2), "cuda");
  CHECK(!jf_device_name(5) && !jf_device_name(19) && !jf_device_name(-1) && !jf_device_name(INT32_MIN));
  static const jf_device strange[] = {
      {0, 0}, {99, 1}, {2, -1}, {-3, -7}, {INT32_MIN, INT32_MIN}, {INT32_MAX, INT32_MAX}};
  for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
    const size_t size = jf_device_format(strange[i], text, sizeof text);
    CHECK(jf_device_parse(text, size, &device) == 0 && memcmp(&device, &strange[i], sizeof device) == 0);
  }
}

static void test_what_names_no_device(void) {
  static const char* const wrong[] = {"",
                                      ":",
                                      "cpu:",
                                      ":0",
                                      "gpu",
                                      "CPU",
                                      "cuda:x",
                                      "cuda:01",
                                      "cuda: 1",
                                      "cuda:1 ",
                                      "cuda1",
                                      "cuda:1:2",
                                      "cuda:2147483648",
                                      "device",
                                      "device:",
                                      "cuda:+1"};
  jf_device ignored;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    if (device_of(wrong[i], &ignored) == 0) CHECK_TEXT("accepted", wrong[i]);
  }
}

static void test_names_are_cut_to_the_room(void) {
  char text[8] = "???????";
  CHECK(jf_dtype_format((jf_dtype){10, 8, 1}, text, sizeof text) == 7);
  CHECK_TEXT(text, "float8_");
  CHECK(jf_device_format((jf_device){13, 0}, text, 5) == 4);
  CHECK_TEXT(text, "cuda");
  CHECK(jf_device_format((jf_device){13, 0}, text, 0) == 0);
  CHECK_TEXT(text, "cuda");
}

static const jf_param_info params[] = {{"d", "dtype"}, {NULL, "device"}, {"t", "ucs4"}};
static const jf_call_info info = {"f", 3, 3, params, "void"};

static void test_lifting_data_types_and_devices(void) {
  jf_any view = {JF_DTYPE, 0, {.v_dtype = {2, 32, 4}}}, boxed = {JF_OBJECT, 0, {0}};
  int64_t out = -1;
  CHECK(jf_lift_scalar(&info, 0, &view, JF_KIND_DTYPE, &out) == 0 && out == view.v_int64);
  boxed.v_object = jf_any_to_object(&view, NULL);
  CHECK(jf_lift_scalar(&info, 0, &boxed, JF_KIND_DTYPE, &out) == 0 && out == view.v_int64);
  CHECK(jf_lift_scalar(&info, 1, &boxed, JF_KIND_DEVICE, &out) == -1);
  CHECK_ERROR("TypeError: f: argument 2: expected device, got dtype float32x4");
  jf_object_release(boxed.v_object);
  jf_any text = slot_of_raw("float32x4"), wrong = slot_of_raw("flaot32"), device = slot_of_raw("cuda:3");
  CHECK(jf_lift_scalar(&info, 0, &text, JF_KIND_DTYPE, &out) == 0 && out == view.v_int64);
  CHECK(jf_lift_scalar(&info, 0, &wrong, JF_KIND_DTYPE, &out) == -1);
  CHECK_ERROR("ValueError: f: argument 1 'd': expected dtype, got str 'flaot32'");
  CHECK(jf_lift_scalar(&info, 1, &device, JF_KIND_DEVICE, &out) == 0 && out == (3ll << 32 | 2));
  jf_ucs4_span span = {U"int8", 4};
  jf_any wide = {JF_UCS4_VIEW, 0, {.v_ucs4_span = &span}}, number = slot_of_int(1);
  CHECK(jf_lift_scalar(&info, 0, &wide, JF_KIND_DTYPE, &out) == 0 && out == (1 << 16 | 8 << 8));
  span = (jf_ucs4_span){U"int\x138", 4}; /* its low byte is a digit */
  CHECK(jf_lift_scalar(&info, 0, &wide, JF_KIND_DTYPE, &out) == -1);
  jf_object_release(jf_error_take());
  CHECK(jf_lift_scalar(&info, 0, &number, JF_KIND_DTYPE, &out) == -1);
  CHECK_ERROR("TypeError: f: argument 1 'd': expected dtype, got int 1");
}

static void test_lifting_ucs4(void) {
  jf_temps temps = {NULL};
  jf_ucs4_span out, span = {U"a\0\U0001f600", 3};
  jf_any view = {JF_UCS4_VIEW, 0, {.v_ucs4_span = &span}}, small = {JF_SMALL_UCS4, 1, {.v_char32 = {0x20ac}}};
  CHECK(jf_lift_ucs4(&info, 2, &view, &out, &temps) == 0 && out.data == span.data && out.size == 3);
  CHECK(jf_lift_ucs4(&info, 2, &small, &out, &temps) == 0 && out.data == small.v_char32 && out.size == 1);
  CHECK(!temps.head);
  jf_any raw = slot_of_raw("h\xc3\xa9\xf0\x9f\x98\x80"), empty = slot_of_raw(""), bad = slot_of_raw("ab\xff");
  CHECK(jf_lift_ucs4(&info, 2, &raw, &out, &temps) == 0 && out.size == 3);
  CHECK(out.data[0] == 'h' && out.data[1] == 0xe9 && out.data[2] == 0x1f600);
  CHECK(jf_lift_ucs4(&info, 2, &empty, &out, &temps) == 0 && out.data && out.size == 0);
  jf_temps_release(&temps);
  CHECK(jf_lift_ucs4(&info, 2, &bad, &out, &temps) == -1);
  CHECK_ERROR("UnicodeDecodeError: f: argument 3 't': expected ucs4, got str that is no UTF-8 from byte 2 on");
  jf_any null = null_out(0);
  CHECK(jf_lift_ucs4(&info, 2, &null, &out, &temps) == -1);
  CHECK_ERROR("TypeError: f: argument 3 't': expected ucs4, got null");
  CHECK(!temps.head);
}

static int32_t lift_long_text(void) {
  jf_temps temps = {NULL};
  jf_ucs4_span out;
  jf_any raw = slot_of_raw("some text that is no UCS4 yet");
  const int32_t status = jf_lift_ucs4(&info, 2, &raw, &out, &temps);
  jf_temps_release(&temps);
  return status;
}

static void test_lifting_survives_without_memory(void) { SURVIVES(lift_long_text); }

static void test_ucs4_made_in_place(void) {
  char* data;
  jf_object* object = jf_str_alloc(JF_UCS4, 3, &data);
  const jf_ucs4* made = (const jf_ucs4*)object;
  CHECK(object->type_code == JF_UCS4 && made->size == 3 && (const char*)made->data == data);
  CHECK(made->data[3] == 0);
  ((jf_char32*)(void*)data)[2] = 0x1f600;
  CHECK(made->data[2] == 0x1f600 && made->data[3] == 0);
  jf_object_release(object);
}

int main(void) {
  RUN(test_names_of_data_types);
  RUN(test_every_data_type_has_a_name_of_its_own);
  RUN(test_short_names_of_small_floats);
  RUN(test_what_names_no_data_type);
  RUN(test_names_of_devices);
  RUN(test_what_names_no_device);
  RUN(test_names_are_cut_to_the_room);
  RUN(test_lifting_data_types_and_devices);
  RUN(test_lifting_ucs4);
  RUN(test_lifting_survives_without_memory);
  RUN(test_ucs4_made_in_place);
  return finish();
}
