"""SDL 2 by its header, without a screen: surfaces and their pixels, rectangles, events in a union, timers on threads of
SDL's, files in memory, log functions that are variadic."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

import jitffi

MASKS = 0xFF, 0xFF00, 0xFF0000, 0xFF000000


@pytest.fixture(scope="module")
def sdl(bound_header):
    module = bound_header(
        "SDL2/SDL.h", "SDL2", "libsdl2-dev",
        keep_callbacks=("SDL_AddTimer", "SDL_AddEventWatch", "SDL_LogSetOutputFunction"),
    )  # fmt: skip
    os.environ.update(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy")
    assert module.SDL_Init(module.SDL_INIT_VIDEO | module.SDL_INIT_EVENTS | module.SDL_INIT_TIMER) == 0
    yield module
    module.SDL_Quit()


@pytest.fixture
def surface(sdl):
    made = sdl.SDL_CreateRGBSurface(0, 8, 4, 32, *MASKS)
    yield made
    sdl.SDL_FreeSurface(made)


def pixels_of(surface):
    """The surface's own memory."""
    at = surface.value
    return jitffi.cast("ptr[u32]", at.pixels).array(at.h, at.pitch // 4)[:, : at.w]


def test_pixels_of_a_surface(sdl, surface):
    assert (surface.value.w, surface.value.h, surface.value.format.value.BitsPerPixel) == (8, 4, 32)
    red = sdl.SDL_MapRGB(surface.value.format, 255, 0, 0)
    assert sdl.SDL_FillRect(surface, sdl.SDL_Rect(2, 1, 3, 2), red) == 0
    wanted = np.zeros((4, 8), "u4")
    wanted[1:3, 2:5] = red
    assert (pixels_of(surface) == wanted).all() and red == 0xFF0000FF
    rects = sdl.SDL_Rect.array(2)
    rects["x"], rects["w"], rects["h"] = [0, 7], 1, 4
    assert sdl.SDL_FillRects(surface, rects, 2, 5) == 0
    wanted[:, [0, 7]] = 5
    assert (pixels_of(surface) == wanted).all()


def test_rectangles(sdl):
    common = sdl.SDL_Rect()
    assert sdl.SDL_IntersectRect(sdl.SDL_Rect(0, 0, 10, 10), sdl.SDL_Rect(5, 8, 10, 10), common) == sdl.SDL_TRUE
    assert common == sdl.SDL_Rect(5, 8, 5, 2)
    points = sdl.SDL_Point.array(3)
    points["x"], points["y"] = [3, 9, 4], [1, 5, 20]
    assert sdl.SDL_EnclosePoints(points, 3, None, common) == sdl.SDL_TRUE
    assert (common.x, common.y, common.w, common.h) == (3, 1, 7, 20)


def test_an_image_in_memory(sdl, surface):
    pixels_of(surface)[:] = np.arange(32).reshape(4, 8) * 0x010203 | 0xFF000000
    room = bytearray(4096)
    file = sdl.SDL_RWFromMem(room, len(room))
    assert sdl.SDL_SaveBMP_RW(surface, file, 0) == 0
    assert room[:2] == b"BM" and sdl.SDL_RWtell(file) > 100
    assert sdl.SDL_RWseek(file, 0, sdl.RW_SEEK_SET) == 0
    again = sdl.SDL_LoadBMP_RW(file, 1)
    same = sdl.SDL_ConvertSurfaceFormat(again, surface.value.format.value.format, 0)
    assert (pixels_of(same) == pixels_of(surface)).all()
    sdl.SDL_FreeSurface(again)
    sdl.SDL_FreeSurface(same)


def test_events_are_a_union(sdl):
    sdl.SDL_FlushEvents(sdl.SDL_FIRSTEVENT, sdl.SDL_LASTEVENT)
    seen = []

    @jitffi.function("(user: ptr, event: ptr) -> i32")
    def watch(_, event):  # one function for both calls
        seen.append(jitffi.cast("ptr[u32]", event).value)
        return 1

    sdl.SDL_AddEventWatch(watch, None)
    kind = sdl.SDL_RegisterEvents(1)
    given = sdl.SDL_Event(user=sdl.SDL_UserEvent(type=kind, code=7, data1=1234))
    key = sdl.SDL_Event()
    key.key.type, key.key.keysym.sym = sdl.SDL_KEYDOWN, sdl.SDLK_RETURN
    assert sdl.SDL_PushEvent(given) == 1 and sdl.SDL_PushEvent(key) == 1
    sdl.SDL_DelEventWatch(watch, None)
    came, found = sdl.SDL_Event(), {}
    while sdl.SDL_PollEvent(came):
        found[came.type] = (came.user.code, came.user.data1) if came.type == kind else came.key.keysym.sym
    assert found[kind] == (7, 1234) and found[sdl.SDL_KEYDOWN] == sdl.SDLK_RETURN
    assert seen == [kind, sdl.SDL_KEYDOWN]


def test_timers_call_on_threads_of_sdls(sdl):
    threads = []

    def tick(interval, _):
        threads.append(threading.get_ident())
        return interval if len(threads) < 3 else 0

    timer = sdl.SDL_AddTimer(1, tick, None)
    end = time.monotonic() + 10
    while len(threads) < 3 and time.monotonic() < end:
        time.sleep(0.002)
    sdl.SDL_RemoveTimer(timer)
    assert len(threads) == 3 and threading.get_ident() not in threads


def test_the_log(sdl):
    lines = []
    sdl.SDL_LogSetOutputFunction(lambda _, category, priority, text: lines.append((category, priority, text)), None)
    try:
        sdl.SDL_Log("%d of %s, %.1f", 3, "four", 0.5)
        sdl.SDL_LogCritical(sdl.SDL_LOG_CATEGORY_VIDEO, "failed: %s", "\u00e4")
    finally:
        sdl.SDL_LogSetOutputFunction(None, None)
    assert lines == [
        (sdl.SDL_LOG_CATEGORY_APPLICATION, sdl.SDL_LOG_PRIORITY_INFO, "3 of four, 0.5"),
        (sdl.SDL_LOG_CATEGORY_VIDEO, sdl.SDL_LOG_PRIORITY_CRITICAL, "failed: \u00e4"),
    ]


def test_structs_by_value(sdl):
    text = "030000004c050000cc09000000006800"
    guid, back = sdl.SDL_GUIDFromString(text), bytearray(33)
    assert bytes(guid) == bytes.fromhex(text)
    sdl.SDL_GUIDToString(guid, back, len(back))
    assert back[:32].decode() == text


def test_errors_and_packed_structs(sdl):
    assert sdl.SDL_CreateWindow("no size", 0, 0, -1, -1, sdl.SDL_WINDOW_VULKAN | sdl.SDL_WINDOW_OPENGL) is None
    assert sdl.SDL_GetError()
    convert = sdl.SDL_AudioCVT()
    assert sdl.SDL_BuildAudioCVT(convert, sdl.AUDIO_S16, 1, 8000, sdl.AUDIO_F32, 2, 16000) == 1
    samples = np.arange(100, dtype="i2") * 300
    room = np.zeros(samples.nbytes * convert.len_mult, "u1")
    room[: samples.nbytes] = samples.view("u1")
    convert.buf, convert.len = jitffi.cast("ptr[u8]", room.ctypes.data), samples.nbytes
    assert sdl.SDL_ConvertAudio(convert) == 0
    stereo = room[: convert.len_cvt].view("f4").reshape(-1, 2)
    assert len(stereo) >= 190 and (stereo[:, 0] == stereo[:, 1]).all()
    assert np.allclose(stereo[20:150:2, 0], samples[10:75] / 32768, atol=0.01)
