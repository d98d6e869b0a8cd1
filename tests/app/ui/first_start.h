// The window as it opens at the very first start, its cards closed: one head, the panels folded.
#pragma once

#include "app/session/documents.h"
#include "app/session/panel_layout.h"

namespace headscope::ui {

inline Document at_first_start() {
  Document document = first_document();
  document.view.heads_show = HeadsShow::one;
  set_panel_layout(document.view, first_panel_layout());
  return document;
}

}  // namespace headscope::ui
