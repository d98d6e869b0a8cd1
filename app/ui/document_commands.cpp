// Commands that open, save, export and say what there is to read.
#include "app/session/control_words.h"
#include "app/session/documents.h"
#include "app/session/panel_layout.h"
#include "app/session/phrase_file.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/command_actions.h"
#include "app/ui/compare/compare_panel.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/document_title.h"
#include "app/ui/file_choice.h"
#include "app/ui/guide/examples.h"
#include "app/ui/guide/guide_page.h"
#include "app/ui/guide/lesson_strip.h"
#include "app/ui/guide/terms.h"
#include "app/ui/guide/tour.h"
#include "app/ui/guide_state.h"
#include "app/ui/lesson_notice.h"
#include "app/ui/recipe_check.h"
#include "app/ui/sweep/sweep_panel.h"
#include "core/base/error.h"

namespace headscope::ui {

namespace {

template <DialogKind kind>
void open_dialog(Ui& ui, const std::string& /*argument*/) {
  ui.state.open_combo.clear();
  ui.state.dialog = kind;
}

// Asks for a file; `purpose` says what becomes of it.
void choose_file(Ui& ui, const char* purpose) {
  ui.state.panels.get<FileChoice>().purpose = purpose;
  ui.state.open_combo.clear();
  ui.state.dialog = DialogKind::choose_file;
}

// Opens what the very first start shows, with the ways to begin above it; undo brings back the document before.
void start_over(Ui& ui) {
  Document document = first_document();
  document.view.heads_show = usual_heads(ui.settings);
  // The panels lie as the user has arranged them, whatever is open.
  ui.session.open(document.request, with_layout_of(document.view, ui.session.view), document.identity());
  note_opened(ui.state, ui.session.document.title, {document.request});
  ui.state.edits.clear();
  ui.settings.start_open = true;
}

// The document takes the place of the one that is open: one step of undo.
void take(Ui& ui, const Document& document) {
  ui.session.open(document.against.value_or(document.request), document.view, document.identity());
  if (document.against) pin_then_edit(ui, document.request);
  if (document.theme) ui.settings.theme = *document.theme;
  note_opened(ui.state, ui.session.document.title, {document.request, document.view.lesson});
  if (!document.view.lesson.empty()) put_notice(ui.state, lesson_notice(document.view.lesson));
  ui.state.edits.clear();
}

// A session or a recipe as text: from a file that was opened elsewhere, a letter, a page.
void paste_session(Ui& ui) {
  const std::string text = ui.get_clipboard ? ui.get_clipboard() : "";
  try {
    take(ui, open_session_text(text, "clipboard", ui.session.view));
    note_recipe_text(ui.state, text, "the clipboard's picture");
    std::erase_if(ui.state.notices, [](const Notice& n) { return n.key == "open"; });
  } catch (const std::exception& error) {
    put_notice(ui.state,
               {Notice::Kind::bad, "The clipboard holds no session.",
                std::string(error.what()) + ". Copy the text of a session file or of a picture's recipe.", "open"});
  }
}

void open_document_at(Ui& ui, const std::string& path) {
  try {
    const bool words = is_phrase_file(path);
    take(ui, open_document(path, ui.session.draft, ui.session.view, ui.session.document.given_phrase));
    note_recipe(ui.state, path);
    // A long text with the caret in it would open over the panels below.
    if (words && ui.state.focus == "phrase") ui.state.focus = "inspector/picture";
    if (ui.session.view.main_view == MainView::corpus) ui.state.focus = corpus_focus(ui);
    std::erase_if(ui.state.notices, [](const Notice& n) { return n.key == "open"; });
    if (!path.starts_with("demo:")) remember_recent(ui.settings, path);
  } catch (const Error& error) {
    put_notice(ui.state, {Notice::Kind::bad, "Not opened.", error.what(), "open"});
  } catch (const UsageError& error) {
    put_notice(ui.state, {Notice::Kind::bad, "Not opened.", control_words(error.what()), "open"});
  }
}

// `place` is a page, "12-glossary", or a heading of one, "12-glossary#scale".
void open_guide(Ui& ui, const std::string& place) {
  const std::size_t mark = std::min(place.find('#'), place.size());
  const std::string id = place.substr(0, mark);
  const GuidePage* page = find_guide_page(id);
  std::optional<std::size_t> block;
  if (page != nullptr && mark < place.size()) block = find_heading(*page, place.substr(mark + 1));
  ui.state.panels.get<GuideTarget>() = {id, block};
  ui.state.dialog = DialogKind::guide;
}

// Over a control that stands for a term of the glossary, help is the glossary.
void open_help(Ui& ui, const std::string& nothing) {
  const std::string_view term = term_of_control(ui.state.hovered);
  if (term.empty()) return open_dialog<DialogKind::help>(ui, nothing);
  open_guide(ui, term_page(term));
}

const CommandAction kActions[] = {
    {CommandId::new_session, plain<start_over>},
    {CommandId::open_file, open_dialog<DialogKind::open_file>},
    {CommandId::open_folder, [](Ui& ui, const std::string&) { choose_file(ui, "model"); }},
    {CommandId::open_phrase, [](Ui& ui, const std::string&) { choose_file(ui, "phrase-file"); }},
    {CommandId::open_path, open_document_at},
    {CommandId::paste_session, plain<paste_session>},
    {CommandId::corpus_list, choose_corpus_list},
    {CommandId::sweep_list, choose_sweep_list},
    {CommandId::corpus_table, plain<copy_corpus_table>},
    {CommandId::choose_weights, [](Ui& ui, const std::string&) { choose_file(ui, "weights"); }},
    {CommandId::compare_tensors, [](Ui& ui, const std::string&) { choose_file(ui, kTheirTensors); }},
    {CommandId::save_session, open_dialog<DialogKind::save_session>},
    {CommandId::export_dialog, open_dialog<DialogKind::export_dialog>},
    {CommandId::worksheet, open_dialog<DialogKind::worksheet>},
    {CommandId::handout, open_dialog<DialogKind::handout>},
    {CommandId::palette, open_dialog<DialogKind::palette>},
    {CommandId::go_to_cell, open_dialog<DialogKind::go_to>},
    {CommandId::help, open_help},
    {CommandId::guide, open_guide},
    {CommandId::about, open_dialog<DialogKind::about>},
    {CommandId::settings, open_dialog<DialogKind::settings>},
    {CommandId::tour, plain<start_tour>},
    {CommandId::toggle_lesson, plain<toggle_lesson>},
    {CommandId::add_stop, plain<add_lesson_stop>},
    {CommandId::play_lesson, plain<play_lesson>},
    {CommandId::examples, open_dialog<DialogKind::examples>},
    {CommandId::open_example, open_example},
};

}  // namespace

std::span<const CommandAction> document_commands() {
  return kActions;
}

}  // namespace headscope::ui
