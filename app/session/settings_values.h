// What the program remembers of how it is used, whatever is open.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/picture/palette.h"

namespace headscope {

constexpr std::size_t kMostRecentFiles = 12;
constexpr int kMostTourSteps = 100;
constexpr double kSmallestScale = 0.5, kLargestScale = 4;  // of ui_scale
constexpr float kLargestPanel = 4000;                      // width or height of a panel at 1x

// How the panels are arranged: as in ViewState.
struct PanelLayout {
  float request_width = 264, inspector_width = 450, concat_height = 240;
  bool request_collapsed = false, concat_collapsed = false, inspector_collapsed = false, pipeline_collapsed = false;
  bool views_grouped = true;
  friend bool operator==(const PanelLayout&, const PanelLayout&) = default;
};

struct Settings {
  Theme theme = Theme::dark;
  double ui_scale = 1;                    // of everything: letters and the layout around them
  std::vector<std::string> recent_files;  // newest first, at most 12
  std::string export_folder;              // "" until the first export
  std::string open_folder;
  std::string export_format = "png";
  double export_scale = 2;
  int window_width = 1600, window_height = 1000;
  std::string native_dialogs = "auto";    // auto | never
  int stage_memory_mib = 1024;            // larger stages are computed when read
  std::string language = "auto";          // of tour and examples: "auto" (by the locale), or a code, "es"
  int tour_step = 0;                      // the next step of the tour, counted from 0
  std::optional<PanelLayout> panels;      // nullopt: not kept yet
  std::optional<PanelLayout> folded;      // what F12 unfolded, and brings back; nullopt: nothing
  std::vector<std::string> export_paper;  // "width=85mm", "font-size=8": what differs from a picture for the screen
  bool export_csv_safe = false;
  bool start_open = false;     // the cards of the start stand above the window
  bool one_head = false;       // a document that says nothing of heads opens with the picked one large
  bool row_sound = false;      // a row of weights is played when it is picked
  bool auto_contrast = false;  // colours are fitted where 99 of 100 cells would look alike
  friend bool operator==(const Settings&, const Settings&) = default;
};

}  // namespace headscope
