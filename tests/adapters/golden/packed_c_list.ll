;! sig = (list) -> list
;! entry = packed
;! callee = c
;! level = 2
;! values = [], [1, "a"]

define i32 @"adapter"(ptr %self, i32 %num_args, ptr %args, ptr %out) nounwind personality ptr @jf_personality {
entry:
  %container = alloca [8 x i8], align 8
  br label %body
body:
  %p = getelementptr i8, ptr %self, i64 48
  %state = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p.1, align 8
  %all = icmp eq i32 %num_args, 1
  br i1 %all, label %arity, label %wrong.arity, !prof !0
wrong.arity:
  %p.2 = getelementptr i8, ptr %state, i64 <state.info>
  %info = load ptr, ptr %p.2, align 8
  %p.3 = getelementptr i8, ptr %table, i64 <cold_packed_arity>
  %packed_arity = load ptr, ptr %p.3, align 8
  call preserve_mostcc void %packed_arity(ptr %info, i32 %num_args)
  br label %fail.runtime
arity:
  %code = load i32, ptr %args, align 4
  %has.code = icmp eq i32 %code, -11
  br i1 %has.code, label %object, label %lift.slow, !prof !0
object:
  %p.4 = getelementptr i8, ptr %args, i64 8
  %container.1 = load ptr, ptr %p.4, align 8
  %code.1 = load i32, ptr %container.1, align 4
  %test = icmp eq i32 %code.1, 36
  br i1 %test, label %list, label %lift.slow, !prof !0
list:
  br label %lift.done
lift.slow:
  %p.5 = getelementptr i8, ptr %state, i64 <state.info>
  %info.1 = load ptr, ptr %p.5, align 8
  %p.6 = getelementptr i8, ptr %table, i64 <lift_container>
  %lift_container = load ptr, ptr %p.6, align 8
  %r = call i32 %lift_container(ptr %info.1, i32 0, ptr %args, ptr %container)
  %failed = icmp ne i32 %r, 0
  br i1 %failed, label %fail.runtime, label %ok, !prof !1
ok:
  %v = load ptr, ptr %container, align 8
  br label %lift.done
lift.done:
  %container.2 = phi ptr [ %container.1, %list ], [ %v, %ok ]
  %p.7 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.7, align 8
  %r.1 = invoke ptr %target(ptr %container.2) to label %came.back unwind label %caught
came.back:
  %pending_count = load ptr, ptr %table, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test.1 = icmp eq i32 %pending, 0
  br i1 %test.1, label %returned, label %ask.pending, !prof !0
ask.pending:
  %p.8 = getelementptr i8, ptr %table, i64 <cold_take_pending>
  %take_pending = load ptr, ptr %p.8, align 8
  %r.2 = call preserve_mostcc i32 %take_pending()
  %test.2 = icmp eq i32 %r.2, 0
  br i1 %test.2, label %returned, label %lost
lost:
  %p.9 = getelementptr i8, ptr %table, i64 <object_release>
  %object_release = load ptr, ptr %p.9, align 8
  call void %object_release(ptr %r.1)
  br label %fail.runtime
returned:
  %is.null = icmp eq ptr %r.1, null
  br i1 %is.null, label %null, label %not.null, !prof !1
null:
  %p.10 = getelementptr i8, ptr %table, i64 <cold_null_result>
  %null_result = load ptr, ptr %p.10, align 8
  %r.3 = call preserve_mostcc i32 %null_result(ptr %state, i32 0)
  %failed.1 = icmp ne i32 %r.3, 0
  br i1 %failed.1, label %fail.runtime, label %ok.1, !prof !1
ok.1:
  br label %not.null
not.null:
  %p.11 = getelementptr i8, ptr %table, i64 <out_object>
  %out_object = load ptr, ptr %p.11, align 8
  call void %out_object(ptr %out, ptr %r.1)
  ret i32 0
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.12 = getelementptr i8, ptr %table, i64 <caught>
  %caught.1 = load ptr, ptr %p.12, align 8
  call void %caught.1(ptr %state, ptr %exception)
  %p.13 = getelementptr i8, ptr %table, i64 <cold_take_pending>
  %take_pending.1 = load ptr, ptr %p.13, align 8
  %r.4 = call preserve_mostcc i32 %take_pending.1()
  br label %fail.runtime
fail.runtime:
  %p.14 = getelementptr i8, ptr %table, i64 <cold_any_release>
  %any_release = load ptr, ptr %p.14, align 8
  call preserve_mostcc void %any_release(ptr %out)
  ret i32 -1
}
