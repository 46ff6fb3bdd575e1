;! sig = () -> void
;! entry = packed
;! callee = packed
;! level = 0

define i32 @"adapter"(ptr %self, i32 %num_args, ptr %args, ptr %out) nounwind personality ptr @jf_personality {
entry:
  %args.1 = alloca [16 x i8], align 8
  %result = alloca [16 x i8], align 8
  br label %body
body:
  %p = getelementptr i8, ptr %self, i64 48
  %state = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p.1, align 8
  %all = icmp eq i32 %num_args, 0
  br i1 %all, label %arity, label %wrong.arity, !prof !0
wrong.arity:
  %p.2 = getelementptr i8, ptr %state, i64 <state.info>
  %info = load ptr, ptr %p.2, align 8
  %p.3 = getelementptr i8, ptr %table, i64 <packed_arity>
  %packed_arity = load ptr, ptr %p.3, align 8
  call void %packed_arity(ptr %info, i32 %num_args)
  br label %fail.runtime
arity:
  %p.4 = getelementptr i8, ptr %state, i64 <state.self>
  %callee = load ptr, ptr %p.4, align 8
  %p.5 = getelementptr i8, ptr %callee, i64 40
  %their.types = load ptr, ptr %p.5, align 8
  %p.6 = getelementptr i8, ptr %state, i64 <state.types>
  %our.types = load ptr, ptr %p.6, align 8
  %same.types = icmp eq ptr %their.types, %our.types
  br i1 %same.types, label %same, label %packed
same:
  %p.7 = getelementptr i8, ptr %callee, i64 32
  %native = load ptr, ptr %p.7, align 8
  %is.null = icmp eq ptr %native, null
  br i1 %is.null, label %packed, label %direct
direct:
  invoke void %native() to label %came.back unwind label %caught
came.back:
  %pending_count = load ptr, ptr %table, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %returned, label %ask.pending, !prof !0
ask.pending:
  %p.8 = getelementptr i8, ptr %table, i64 <take_pending>
  %take_pending = load ptr, ptr %p.8, align 8
  %r = call i32 %take_pending()
  %test.1 = icmp eq i32 %r, 0
  br i1 %test.1, label %returned, label %lost
lost:
  br label %fail.runtime
returned:
  br label %called
packed:
  store i64 4294967295, ptr %result, align 8
  %p.9 = getelementptr i8, ptr %result, i64 8
  store i64 0, ptr %p.9, align 8
  %p.10 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.10, align 8
  %r.1 = invoke i32 %target(ptr %callee, i32 0, ptr %args.1, ptr %result) to label %came.back.1 unwind label %caught.1
came.back.1:
  %succeeded = icmp eq i32 %r.1, 0
  br i1 %succeeded, label %returned.1, label %callee.failed, !prof !0
callee.failed:
  %p.11 = getelementptr i8, ptr %table, i64 <any_release>
  %any_release = load ptr, ptr %p.11, align 8
  call void %any_release(ptr %result)
  br label %fail.runtime
returned.1:
  %code = load i32, ptr %result, align 4
  %has.code = icmp eq i32 %code, -1
  br i1 %has.code, label %null, label %dropped, !prof !0
dropped:
  %p.12 = getelementptr i8, ptr %table, i64 <any_release>
  %any_release.1 = load ptr, ptr %p.12, align 8
  call void %any_release.1(ptr %result)
  br label %null
null:
  br label %called
called:
  store i64 4294967295, ptr %out, align 8
  %p.13 = getelementptr i8, ptr %out, i64 8
  store ptr null, ptr %p.13, align 8
  ret i32 0
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.14 = getelementptr i8, ptr %table, i64 <caught>
  %caught.2 = load ptr, ptr %p.14, align 8
  call void %caught.2(ptr %state, ptr %exception)
  %p.15 = getelementptr i8, ptr %table, i64 <take_pending>
  %take_pending.1 = load ptr, ptr %p.15, align 8
  %r.2 = call i32 %take_pending.1()
  br label %fail.runtime
caught.1:
  %landed.1 = landingpad { ptr, i32 } catch ptr null
  %exception.1 = extractvalue { ptr, i32 } %landed.1, 0
  %p.16 = getelementptr i8, ptr %table, i64 <caught>
  %caught.3 = load ptr, ptr %p.16, align 8
  call void %caught.3(ptr %state, ptr %exception.1)
  %p.17 = getelementptr i8, ptr %table, i64 <take_pending>
  %take_pending.2 = load ptr, ptr %p.17, align 8
  %r.3 = call i32 %take_pending.2()
  br label %fail.runtime
fail.runtime:
  %p.18 = getelementptr i8, ptr %table, i64 <any_release>
  %any_release.2 = load ptr, ptr %p.18, align 8
  call void %any_release.2(ptr %out)
  ret i32 -1
}
