// A moment of the timeline.
#pragma once

#include "app/session/document_identity.h"
#include "app/session/view_state.h"
#include "core/request/request.h"

namespace headscope {

// What undo brings back.
struct Moment {
  Request draft;
  ViewState view;
  DocumentIdentity document;
};

}  // namespace headscope
