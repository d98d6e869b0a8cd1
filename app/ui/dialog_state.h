// The state of open dialogs; part of UiState, not saved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/folder_listing.h"
#include "app/session/native_dialog.h"

namespace headscope::ui {

struct BrowserState {
  FolderListing listing;
  std::string typed;  // the path field
  int selected = -1;  // index in listing.entries; -1: none
  std::unique_ptr<NativeDialog> native;
};

struct PaletteState {
  std::string query;
  int selected = 0;
};

struct GoToState {
  // One of the two fields: an index or words, and the positions of these words.
  struct Side {
    std::string typed;
    std::optional<std::string> searched;  // the text of which `matches` are; nullopt: not searched yet
    std::vector<std::int64_t> matches;
    std::size_t at = 0;  // index of the chosen match
  };
  Side query, key;
};

struct DialogState {
  int shown = 0;  // the DialogKind drawn in the last frame: when it changes, the new dialog starts with fresh state
  BrowserState browser;
  PaletteState palette;
  GoToState go_to;
};

}  // namespace headscope::ui
