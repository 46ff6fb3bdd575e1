;! apply = (f: func[(u32) -> void]) -> u32
;! entry = packed
;! callee = c
;! target = riscv64-linux-gnu

source_filename = "jitffi"
target datalayout = "..."
target triple = "riscv64-unknown-linux-gnu"

@".text.0" = private unnamed_addr constant [2 x i8] c"f\00", align 1
@".text.1" = private unnamed_addr constant [20 x i8] c"func[(u32) -> void]\00", align 1
@".params.apply" = private unnamed_addr constant [1 x { ptr, ptr, ptr }] [{ ptr, ptr, ptr } { ptr @".text.0", ptr @".text.1", ptr null }]
@".text.2" = private unnamed_addr constant [6 x i8] c"apply\00", align 1
@".text.3" = private unnamed_addr constant [4 x i8] c"u32\00", align 1
@".info.apply" = private constant { ptr, i32, i32, ptr, ptr, ptr } { ptr @".text.2", i32 1, i32 1, ptr @".params.apply", ptr @".text.3", ptr null }
@".params.apply.0" = private unnamed_addr constant [1 x { ptr, ptr, ptr }] [{ ptr, ptr, ptr } { ptr null, ptr @".text.3", ptr null }]
@".text.4" = private unnamed_addr constant [8 x i8] c"apply.f\00", align 1
@".text.5" = private unnamed_addr constant [5 x i8] c"void\00", align 1
@".info.apply.0" = private constant { ptr, i32, i32, ptr, ptr, ptr } { ptr @".text.4", i32 1, i32 1, ptr @".params.apply.0", ptr @".text.5", ptr null }
@".text.6" = private unnamed_addr constant [14 x i8] c"(u32) -> void\00", align 1
@".callback.apply.0" = private unnamed_addr constant { ptr, ptr, i32 } { ptr @".text.6", ptr @"apply.0", i32 0 }
@"__jfsig_apply" = constant [32 x i8] c"(f: func[(u32) -> void]) -> u32\00", align 1
@"__jfabi" = weak_odr constant i32 0, align 4

define internal void @"apply.0"(ptr nest %closure, i32 signext %a0) #0 section ".text.apply.0" {
entry:
  %args = alloca [16 x i8], align 8
  %result = alloca [16 x i8], align 8
  br label %body
body:
  %function = load ptr, ptr %closure, align 8
  %pending = load i32, ptr @"jf_pending_count", align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %run, label %ask, !prof !0
ask:
  %r = call signext i32 @"jf_error_is_pending"()
  %test.1 = icmp eq i32 %r, 0
  br i1 %test.1, label %run, label %silent
silent:
  ret void
run:
  %v = zext i32 %a0 to i64
  store i64 4294967294, ptr %args, align 8
  %p = getelementptr i8, ptr %args, i64 8
  store i64 %v, ptr %p, align 8
  store i64 4294967295, ptr %result, align 8
  %p.1 = getelementptr i8, ptr %result, i64 8
  store i64 0, ptr %p.1, align 8
  %p.2 = getelementptr i8, ptr %function, i64 16
  %target = load ptr, ptr %p.2, align 8
  %r.1 = call signext i32 %target(ptr %function, i32 signext 1, ptr %args, ptr %result)
  %succeeded = icmp eq i32 %r.1, 0
  br i1 %succeeded, label %returned, label %callee.failed, !prof !0
callee.failed:
  call void @"jf_any_release"(ptr %result)
  br label %fail.runtime
returned:
  %code = load i32, ptr %result, align 4
  %has.code = icmp eq i32 %code, -1
  br i1 %has.code, label %null, label %dropped, !prof !0
dropped:
  call void @"jf_any_release"(ptr %result)
  br label %null
null:
  ret void
fail.runtime:
  call void @"jf_error_mark_pending"()
  ret void
}

define signext i32 @"__jf_apply"(ptr %self, i32 signext %num_args, ptr %args, ptr %out) #0 section ".text.__jf_apply" {
entry:
  %callback = alloca [8 x i8], align 8
  %temps = alloca [8 x i8], align 8
  store ptr null, ptr %temps, align 8
  br label %body
body:
  %all = icmp eq i32 %num_args, 1
  br i1 %all, label %arity, label %wrong.arity, !prof !0
wrong.arity:
  call void @"jf_fail_arity"(ptr @".info.apply", i32 signext %num_args)
  br label %fail.runtime
arity:
  %r = call signext i32 @"jf_lift_callback"(ptr @".info.apply", i32 signext 0, ptr %args, ptr @".callback.apply.0", ptr %callback, ptr %temps)
  %failed = icmp ne i32 %r, 0
  br i1 %failed, label %fail.runtime, label %ok, !prof !1
ok:
  %v = load ptr, ptr %callback, align 8
  %r.1 = call signext i32 @"apply"(ptr %v)
  %pending = load i32, ptr @"jf_pending_count", align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %returned, label %ask.pending, !prof !0
ask.pending:
  %r.2 = call signext i32 @"jf_take_pending"()
  %test.1 = icmp eq i32 %r.2, 0
  br i1 %test.1, label %returned, label %lost
lost:
  br label %fail.runtime
returned:
  %v.1 = zext i32 %r.1 to i64
  store i64 4294967294, ptr %out, align 8
  %p = getelementptr i8, ptr %out, i64 8
  store i64 %v.1, ptr %p, align 8
  %temp = load ptr, ptr %temps, align 8
  %is.null = icmp eq ptr %temp, null
  br i1 %is.null, label %temps.none, label %temps.some, !prof !0
temps.some:
  call void @"jf_temps_release"(ptr %temps)
  br label %temps.none
temps.none:
  ret i32 0
fail.runtime:
  %temp.1 = load ptr, ptr %temps, align 8
  %is.null.1 = icmp eq ptr %temp.1, null
  br i1 %is.null.1, label %temps.none.1, label %temps.some.1, !prof !0
temps.some.1:
  call void @"jf_temps_release"(ptr %temps)
  br label %temps.none.1
temps.none.1:
  call void @"jf_any_release"(ptr %out)
  ret i32 -1
}

declare void @"jf_fail_arity"(ptr, i32 signext) #1
@"jf_pending_count" = external global i32
declare signext i32 @"jf_error_is_pending"() #1
declare void @"jf_any_release"(ptr) #1
declare void @"jf_error_mark_pending"() #1
declare signext i32 @"jf_lift_callback"(ptr, i32 signext, ptr, ptr, ptr, ptr) #1
declare signext i32 @"apply"(ptr) #1
declare signext i32 @"jf_take_pending"() #1
declare void @"jf_temps_release"(ptr) #1

attributes #0 = { nounwind "no-builtins" "no-jump-tables"="true" "target-cpu"="generic-rv64" "target-features"="+m,+a,+f,+d,+c" }
attributes #1 = { nounwind "no-builtins" }
!llvm.module.flags = !{!2, !3}
!0 = !{!"branch_weights", i32 2000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 2000}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 1, !"target-abi", !"lp64d"}
