// What the dialogs remember while they are open; part of UiState, gone with the window.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/export/export_job.h"
#include "app/session/folder_listing.h"
#include "app/session/native_dialog.h"
#include "core/base/image.h"

namespace headscope::ui {

struct ExportDialogState {
  ExportChoice choice;
  bool resumes = false;      // comes back from choosing a folder: goes on with the same choices
  bool name_is_ours = true;  // the file's name follows the choices until the user types one
  // The forecast and the small picture of `previewed`; made anew when the choice or the trace changes.
  std::optional<ExportChoice> previewed;
  std::shared_ptr<const Trace> previewed_trace, previewed_against;
  ExportForecast forecast;
  Image preview;
  std::uint64_t preview_version = 0;
};

struct BrowserState {
  FolderListing listing;
  std::string typed;  // the path field
  int selected = -1;  // of listing.entries
  std::unique_ptr<NativeDialog> native;
};

struct PaletteState {
  std::string query;
  int selected = 0;
};

struct GoToState {
  // One of the two fields: an index or words, and the places where the words stand.
  struct Side {
    std::string typed;
    std::optional<std::string> searched;  // what `matches` are of
    std::vector<std::int64_t> matches;
    std::size_t at = 0;  // the one that is chosen
  };
  Side query, key;
};

struct DialogState {
  int shown = 0;  // the DialogKind drawn in the last frame: a change starts the new one afresh
  ExportDialogState exporting;
  BrowserState browser;
  PaletteState palette;
  GoToState go_to;
};

}  // namespace headscope::ui
