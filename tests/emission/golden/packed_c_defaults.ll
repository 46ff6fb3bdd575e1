;! add = (a: i32, b: i32 = 1) -> i32
;! entry = packed
;! callee = c
;! target = x86_64-linux-gnu

source_filename = "jitffi"
target datalayout = "..."
target triple = "x86_64-unknown-linux-gnu"

@".defaults.add" = private unnamed_addr constant <{ { i32, i32, i64 }, { i32, i32, i64 } }> <{ { i32, i32, i64 } { i32 -1, i32 0, i64 0 }, { i32, i32, i64 } { i32 -2, i32 0, i64 1 } }>, align 8
@".text.0" = private unnamed_addr constant [2 x i8] c"a\00", align 1
@".text.1" = private unnamed_addr constant [4 x i8] c"i32\00", align 1
@".text.2" = private unnamed_addr constant [2 x i8] c"b\00", align 1
@".params.add" = private unnamed_addr constant [2 x { ptr, ptr, ptr }] [{ ptr, ptr, ptr } { ptr @".text.0", ptr @".text.1", ptr null }, { ptr, ptr, ptr } { ptr @".text.2", ptr @".text.1", ptr null }]
@".text.3" = private unnamed_addr constant [4 x i8] c"add\00", align 1
@".info.add" = private constant { ptr, i32, i32, ptr, ptr, ptr } { ptr @".text.3", i32 2, i32 1, ptr @".params.add", ptr @".text.1", ptr null }
@"__jfsig_add" = constant [28 x i8] c"(a: i32, b: i32 = 1) -> i32\00", align 1
@"__jfabi" = weak_odr constant i32 0, align 4

define i32 @"__jf_add"(ptr %self, i32 %num_args, ptr %args, ptr %out) #0 section ".text.__jf_add" personality ptr @jf_personality {
entry:
  %arranged = alloca [32 x i8], align 8
  %word = alloca [8 x i8], align 8
  br label %body
body:
  %all = icmp eq i32 %num_args, 2
  br i1 %all, label %arity, label %wrong.arity, !prof !0
wrong.arity:
  %r = call ptr @"jf_arrange"(ptr @".info.add", ptr @".defaults.add", i32 %num_args, ptr %args, ptr %arranged)
  %is.null = icmp eq ptr %r, null
  br i1 %is.null, label %fail.runtime, label %ok, !prof !1
ok:
  br label %arity
arity:
  %args.1 = phi ptr [ %args, %body ], [ %r, %ok ]
  %code = load i32, ptr %args.1, align 4
  %has.code = icmp eq i32 %code, -2
  br i1 %has.code, label %int, label %lift.slow, !prof !0
int:
  %p = getelementptr i8, ptr %args.1, i64 8
  %payload = load i64, ptr %p, align 8
  %v = trunc i64 %payload to i32
  %v.1 = sext i32 %v to i64
  %fits = icmp eq i64 %v.1, %payload
  br i1 %fits, label %in.range, label %lift.slow, !prof !0
in.range:
  %v.2 = trunc i64 %payload to i32
  br label %lift.done
lift.slow:
  %r.1 = call i32 @"jf_lift_scalar"(ptr @".info.add", i32 0, ptr %args.1, i32 3, ptr %word)
  %failed = icmp ne i32 %r.1, 0
  br i1 %failed, label %fail.runtime, label %ok.1, !prof !1
ok.1:
  %value = load volatile i64, ptr %word, align 8
  %v.3 = trunc i64 %value to i32
  br label %lift.done
lift.done:
  %v.4 = phi i32 [ %v.2, %in.range ], [ %v.3, %ok.1 ]
  %slot1 = getelementptr i8, ptr %args.1, i64 16
  %code.1 = load i32, ptr %slot1, align 4
  %has.code.1 = icmp eq i32 %code.1, -2
  br i1 %has.code.1, label %int.1, label %lift.slow.1, !prof !0
int.1:
  %p.1 = getelementptr i8, ptr %slot1, i64 8
  %payload.1 = load i64, ptr %p.1, align 8
  %v.5 = trunc i64 %payload.1 to i32
  %v.6 = sext i32 %v.5 to i64
  %fits.1 = icmp eq i64 %v.6, %payload.1
  br i1 %fits.1, label %in.range.1, label %lift.slow.1, !prof !0
in.range.1:
  %v.7 = trunc i64 %payload.1 to i32
  br label %lift.done.1
lift.slow.1:
  %r.2 = call i32 @"jf_lift_scalar"(ptr @".info.add", i32 1, ptr %slot1, i32 3, ptr %word)
  %failed.1 = icmp ne i32 %r.2, 0
  br i1 %failed.1, label %fail.runtime, label %ok.2, !prof !1
ok.2:
  %value.1 = load volatile i64, ptr %word, align 8
  %v.8 = trunc i64 %value.1 to i32
  br label %lift.done.1
lift.done.1:
  %v.9 = phi i32 [ %v.7, %in.range.1 ], [ %v.8, %ok.2 ]
  %r.3 = invoke i32 @"add"(i32 %v.4, i32 %v.9) to label %came.back unwind label %caught
came.back:
  %pending = load i32, ptr @"jf_pending_count", align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %returned, label %ask.pending, !prof !0
ask.pending:
  %r.4 = call i32 @"jf_take_pending"()
  %test.1 = icmp eq i32 %r.4, 0
  br i1 %test.1, label %returned, label %lost
lost:
  br label %fail.runtime
returned:
  %v.10 = sext i32 %r.3 to i64
  store i64 4294967294, ptr %out, align 8
  %p.2 = getelementptr i8, ptr %out, i64 8
  store i64 %v.10, ptr %p.2, align 8
  ret i32 0
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %name = load ptr, ptr @".info.add", align 8
  call void @"jf_caught"(ptr %name, ptr %exception)
  %r.5 = call i32 @"jf_take_pending"()
  br label %fail.runtime
fail.runtime:
  call void @"jf_any_release"(ptr %out)
  ret i32 -1
}

declare ptr @"jf_arrange"(ptr, ptr, i32, ptr, ptr) #1
declare i32 @"jf_lift_scalar"(ptr, i32, ptr, i32, ptr) #1
declare i32 @"add"(i32, i32)
@"jf_pending_count" = external global i32
declare i32 @"jf_take_pending"() #1
declare void @"jf_caught"(ptr, ptr) #1
declare void @"jf_any_release"(ptr) #1
declare i32 @"jf_personality"(...)

attributes #0 = { nounwind "no-builtins" "no-jump-tables"="true" "target-cpu"="x86-64" uwtable }
attributes #1 = { nounwind "no-builtins" }
!llvm.module.flags = !{!2}
!0 = !{!"branch_weights", i32 2000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 2000}
!2 = !{i32 8, !"PIC Level", i32 2}
