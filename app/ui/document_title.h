// The document that is open: its name on screen, and whether it has changes that no file holds.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <utility>

#include "app/session/lesson.h"
#include "app/ui/ui.h"
#include "core/request/request.h"

namespace headscope::ui {

// What a document's file holds of it.
struct KeptDocument {
  Request request;
  Lesson lesson = {};
  friend bool operator==(const KeptDocument&, const KeptDocument&) = default;
};

// How many documents are remembered as their files hold them, and what they may hold: more than one works on in a day,
// and two of the largest phrases. Undo that leads to a forgotten one finds it without changes.
inline constexpr std::size_t kMostKeptDocuments = 64, kMostKeptBytes = std::size_t{32} << 20;

struct DocumentState {
  // A save that was asked for, until its job ends.
  struct Saving {
    std::string job, file;  // the job's title; the name of the file
    KeptDocument document;
  };
  // As documents were opened or saved last, with their titles; the newest is the first.
  std::list<std::pair<std::string, KeptDocument>> kept;
  std::optional<Saving> saving;
  std::string title;  // as the menu bar and the window show it
  void add_text(std::string& all) const { all += title; }
};

// Call it when a document was opened: what it asks for is no change of it.
void note_opened(UiState& state, const std::string& title, const KeptDocument& document);

// Call it when a job began to write the document to a file; it counts as saved once the job has ended well.
void note_saving(UiState& state, const DocumentState::Saving& saving);

// Follows the draft and the job. Call it once a frame.
void update_document(Ui& ui);

// Whether draft or lesson are others than those that were opened or saved last.
bool has_unsaved_changes(const Ui& ui);

// "animal.json* · demo:pronouns": the document, an asterisk while it has changes that are not saved, and the model. A
// document that is just a model has its name only, and so has a corpus while it is looked at: whose it is stands there.
std::string document_title(const std::string& name, const KeptDocument& now, const std::optional<KeptDocument>& kept);

}  // namespace headscope::ui
