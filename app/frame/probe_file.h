// Writes the state of the screen to a file: for tests and measurements that control the real window from outside.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/frame/frame.h"
#include "app/session/session.h"
#include "app/session/settings.h"

namespace headscope {

// Milliseconds; negative while it has not happened.
struct FrameTiming {
  double first_frame_ms = -1;    // from the start of main to the first frame on screen
  double first_picture_ms = -1;  // to the first frame that shows a result
  // From every event that changed the draft to the frame that showed its result or a newer one; the latest thousand.
  std::vector<double> keystrokes_ms = {};
  double ui_ms = 0, frame_ms = 0;  // of the last frame: the panels; the whole frame with swap
};

// A frame that began at `began` is on screen. `started`: when the program began; `shows_result`: the frame does.
void note_frame(FrameTiming& timing, std::chrono::steady_clock::time_point started,
                std::chrono::steady_clock::time_point began, bool shows_result);

// What is on screen, and what drew it.
struct ProbedFrame {
  std::int64_t frame = 0;  // counted from 1
  bool resting = false;    // no more frames follow without an event
  const Surface& surface;
  Session& session;
  const Settings& settings;
  const FrameDrawer& drawer;
  const FrameTiming& timing;
};

// {"frame": 12, "resting": true, "mouse": [800, 2], "size": [1600, 1000], "rects": {"phrase": [x0, y0, x1, y1], ...},
// "session": {...}, "document": "mine.json", "stale": false,
//  "computing": false, "backend": "CPU, 2 threads", "tokens": 5, "shapes": {"weights": [1, 8, 5, 5], ...}, "problem":
//  "", "failure": "", "focus": "", "dialog": 0, "notices": [...], "job": {...}, "title": "", "timing": {...}, "maps":
//  {"read": 0, "on_device": 9}, "shared_pictures": {"made": 4, "drawn": 7, "brought_back": 0, "extents": 512},
//  "uploads": 12}
// "maps" are MapTiles::Counts, "shared_pictures" TextureShare::Counts, "uploads" counts uploads of matrices to
// textures. The file is written under another name and renamed, so
// that a reader never sees half of it. Throws Error.
void write_probe(const std::string& path, const ProbedFrame& shown);

}  // namespace headscope
