;! sig = (u8) -> u8
;! entry = c
;! callee = c
;! level = 0
;! values = 0, 255

define zeroext i8 @"adapter"(ptr nest %closure, i8 zeroext %a0) nounwind personality ptr @jf_personality {
entry:
  br label %body
body:
  %state = load ptr, ptr %closure, align 8
  %p = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.1, align 8
  %r = invoke zeroext i8 %target(i8 zeroext %a0) to label %came.back unwind label %caught
came.back:
  ret i8 %r
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.2 = getelementptr i8, ptr %table, i64 <caught>
  %caught.1 = load ptr, ptr %p.2, align 8
  call void %caught.1(ptr %state, ptr %exception)
  br label %fail.runtime
fail.runtime:
  %current = load ptr, ptr %closure, align 8
  %test = icmp eq ptr %current, %state
  br i1 %test, label %alive, label %known
alive:
  %p.3 = getelementptr i8, ptr %state, i64 <state.on_error>
  %on.error = load i8, ptr %p.3, align 1
  br label %known
known:
  %failure = phi i8 [ zeroinitializer, %fail.runtime ], [ %on.error, %alive ]
  %p.4 = getelementptr i8, ptr %table, i64 <error_pending>
  %error_pending = load ptr, ptr %p.4, align 8
  call void %error_pending()
  ret i8 %failure
}
