;! describe = (type: dtype, device: device, text: str) -> bool
;! entry = c
;! callee = packed
;! target = wasm32-wasi

source_filename = "jitffi"
target datalayout = "..."
target triple = "wasm32-unknown-wasi"

@".text.0" = private unnamed_addr constant [5 x i8] c"type\00", align 1
@".text.1" = private unnamed_addr constant [6 x i8] c"dtype\00", align 1
@".text.2" = private unnamed_addr constant [7 x i8] c"device\00", align 1
@".text.3" = private unnamed_addr constant [5 x i8] c"text\00", align 1
@".text.4" = private unnamed_addr constant [4 x i8] c"str\00", align 1
@".params.describe" = private unnamed_addr constant [3 x { ptr, ptr, ptr }] [{ ptr, ptr, ptr } { ptr @".text.0", ptr @".text.1", ptr null }, { ptr, ptr, ptr } { ptr @".text.2", ptr @".text.2", ptr null }, { ptr, ptr, ptr } { ptr @".text.3", ptr @".text.4", ptr null }]
@".text.5" = private unnamed_addr constant [9 x i8] c"describe\00", align 1
@".text.6" = private unnamed_addr constant [5 x i8] c"bool\00", align 1
@".info.describe" = private constant { ptr, i32, i32, ptr, ptr, ptr } { ptr @".text.5", i32 3, i32 3, ptr @".params.describe", ptr @".text.6", ptr null }
@"__jfabi" = weak_odr constant i32 0, align 4

define zeroext i1 @"describe"(ptr %a0, ptr %a1, ptr %a2, i32 %a2.1) #0 {
entry:
  %args = alloca [48 x i8], align 8
  %span = alloca [8 x i8], align 8
  %result = alloca [16 x i8], align 8
  %word = alloca [8 x i8], align 8
  br label %body
body:
  %v = load i32, ptr %a0, align 2
  %v.1 = load i64, ptr %a1, align 4
  %pending = load i32, ptr @"jf_pending_count", align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %run, label %ask, !prof !0
ask:
  %r = call i32 @"jf_error_is_pending"()
  %test.1 = icmp eq i32 %r, 0
  br i1 %test.1, label %run, label %silent
silent:
  %v.2 = trunc i8 zeroinitializer to i1
  ret i1 %v.2
run:
  %v.3 = zext i32 %v to i64
  store i64 4294967290, ptr %args, align 8
  %p = getelementptr i8, ptr %args, i64 8
  store i64 %v.3, ptr %p, align 8
  %slot1 = getelementptr i8, ptr %args, i64 16
  store i64 4294967289, ptr %slot1, align 8
  %p.1 = getelementptr i8, ptr %slot1, i64 8
  store i64 %v.1, ptr %p.1, align 8
  %slot2 = getelementptr i8, ptr %args, i64 32
  store ptr %a2, ptr %span, align 4
  %p.2 = getelementptr i8, ptr %span, i64 4
  store i32 %a2.1, ptr %p.2, align 4
  store i64 4294967279, ptr %slot2, align 8
  %p.3 = getelementptr i8, ptr %slot2, i64 8
  store ptr %span, ptr %p.3, align 4
  %p.4 = getelementptr i8, ptr %slot2, i64 12
  store i32 0, ptr %p.4, align 4
  store i64 4294967295, ptr %result, align 8
  %p.5 = getelementptr i8, ptr %result, i64 8
  store i64 0, ptr %p.5, align 8
  %r.1 = call i32 @"__jf_describe"(ptr null, i32 3, ptr %args, ptr %result)
  %succeeded = icmp eq i32 %r.1, 0
  br i1 %succeeded, label %returned, label %callee.failed, !prof !0
callee.failed:
  call void @"jf_any_release"(ptr %result)
  br label %fail.runtime
returned:
  %code = load i32, ptr %result, align 4
  %has.code = icmp eq i32 %code, -4
  br i1 %has.code, label %bool, label %lift.slow, !prof !0
bool:
  %p.6 = getelementptr i8, ptr %result, i64 8
  %payload = load i64, ptr %p.6, align 8
  %v.4 = trunc i64 %payload to i1
  br label %lift.done
lift.slow:
  %r.2 = call i32 @"jf_lift_scalar"(ptr @".info.describe", i32 -1, ptr %result, i32 0, ptr %word)
  call void @"jf_any_release"(ptr %result)
  %failed = icmp ne i32 %r.2, 0
  br i1 %failed, label %fail.runtime, label %ok, !prof !1
ok:
  %value = load volatile i64, ptr %word, align 8
  %v.5 = trunc i64 %value to i1
  br label %lift.done
lift.done:
  %v.6 = phi i1 [ %v.4, %bool ], [ %v.5, %ok ]
  ret i1 %v.6
fail.runtime:
  %v.7 = trunc i8 zeroinitializer to i1
  call void @"jf_error_mark_pending"()
  ret i1 %v.7
}

@"jf_pending_count" = external global i32
declare i32 @"jf_error_is_pending"() #1
declare i32 @"__jf_describe"(ptr, i32, ptr, ptr) #1
declare void @"jf_any_release"(ptr) #1
declare i32 @"jf_lift_scalar"(ptr, i32, ptr, i32, ptr) #1
declare void @"jf_error_mark_pending"() #1

attributes #0 = { nounwind "no-builtins" "no-jump-tables"="true" "target-cpu"="generic" }
attributes #1 = { nounwind "no-builtins" }
!llvm.module.flags = !{!2}
!0 = !{!"branch_weights", i32 2000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 2000}
!2 = !{i32 8, !"PIC Level", i32 2}
