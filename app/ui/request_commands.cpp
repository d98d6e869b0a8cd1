// Commands that change what is computed, and with what it is compared.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/command_actions.h"
#include "app/ui/compare/compare_panel.h"
#include "app/ui/file_choice.h"
#include "app/ui/heads/head_menu.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/request/request_panel.h"
#include "app/ui/shortcuts.h"
#include "app/ui/unfolded_rows.h"
#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/request/model_kind.h"
#include "core/request/request_text.h"

namespace headscope::ui {

namespace {

// The value may be any bytes.
void option_not_taken(Ui& ui, const std::string& name, const std::string& value, const std::string& why) {
  put_notice(ui.state,
             {Notice::Kind::bad, fmt::format("{} {} was not taken.", control_words("--" + name), shortened(value)), why,
              "option"});
}

// A mask file chosen by its chip joins the other terms. Throws as the option does where it is no mask.
void add_mask_file(Request& draft, const RequestOption& option, const std::string& path) {
  Request alone;
  option.set(alone, path);
  std::erase_if(draft.mask, [](const MaskTerm& term) { return term.kind == MaskTerm::Kind::file; });
  for (const MaskTerm& term : alone.mask) {
    if (term.kind == MaskTerm::Kind::file) draft.mask.push_back(term);
  }
}

// "heads=8", as a suggestion's button or a chosen file says it.
void set_option(Ui& ui, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos) return;
  const std::string name = argument.substr(0, equals), value = argument.substr(equals + 1);
  Request& draft = ui.session.draft;
  const RequestOption* option = find_request_option(name);
  if (option == nullptr) return;
  // Texts are kept byte for byte. A session holds all else as UTF-8, also names of files.
  if (!is_valid_utf8(value) && !name.ends_with("phrase")) {
    return option_not_taken(ui, name, value,
                            "It is no UTF-8, and a session could not hold it: give the file another name.");
  }
  if (name == "model" && value != Request().model) return find_command_action(CommandId::open_path)->run(ui, value);
  const bool adds = name == "mask" && std::exchange(ui.state.panels.get<FileChoice>().adds_mask_term, false);
  if (!adds) ui.session.end_undo_step();
  try {
    if (adds) return add_mask_file(draft, *option, value);
    option->set(draft, value);
    if (name == "weights") draft.model = Request().model;
    // What was typed into the control gives way to the value.
    ui.state.editing.clear();
  } catch (const UsageError& error) {
    option_not_taken(ui, name, value, control_words(error.what()));
  } catch (const Error& error) {
    option_not_taken(ui, name, value, control_words(error.what()));
  }
}

void go_to_problem(Ui& ui) {
  const auto& problem = ui.session.problem();
  if (problem) focus_option(ui, problem->option);
}

// A checkpoint reads a second text in the same sequence; a layer of its own attends to one.
void toggle_key_phrase(Ui& ui) {
  Request& draft = ui.session.draft;
  if (runs_capture(draft)) {
    return put_notice(ui.state, {Notice::Kind::info, "A capture holds what was attended to.",
                                 "Its phrase only names the tokens.", "key-phrase"});
  }
  ui.session.end_undo_step();
  if (draft.second_phrase) {
    draft.second_phrase.reset();
    if (ui.state.focus == "second_phrase") ui.state.focus = "phrase";
    return;
  }
  if (draft.decoder_phrase) {
    draft.decoder_phrase.reset();
    draft.attention = AttentionList::automatic;
    draft.layer.reset();
    if (ui.state.focus == "decoder_phrase") ui.state.focus = "phrase";
    return;
  }
  const auto trace = ui.session.trace();
  if (is_checkpoint(draft) && has_decoder(ui)) {
    draft.decoder_phrase = draft.phrase;
    draft.decoder_ids.clear();
    draft.layer.reset();
    ui.state.focus = "decoder_phrase";
    ui.state.focus_by_keyboard = true;
    return;
  }
  if (is_checkpoint(draft) && !draft.key_phrase && trace != nullptr && reads_pairs(*trace)) {
    draft.second_phrase = draft.phrase;
    ui.state.focus = "second_phrase";
    ui.state.focus_by_keyboard = true;
    return;
  }
  if (draft.key_phrase) {
    draft.key_phrase.reset();
    if (ui.state.focus == "key_phrase") ui.state.focus = "phrase";
  } else {
    draft.key_phrase = draft.phrase;
    ui.state.focus = "key_phrase";
    ui.state.focus_by_keyboard = true;
  }
}

// What was typed into controls gives way to what comes back.
void go_through_time(Ui& ui, void (Session::*go)()) {
  const DocumentIdentity before = ui.session.document;
  (ui.session.*go)();
  ui.state.editing.clear();
  if (ui.session.document == before) return;
  ui.state.edits.clear();
  // A pair of results that was being opened is not, then.
  ui.state.edited_after_pin.reset();
  ui.state.panels.get<CompareState>().pin_waits = false;
}

void undo_request(Ui& ui) {
  go_through_time(ui, &Session::undo);
}

void redo_request(Ui& ui) {
  go_through_time(ui, &Session::redo);
}

void focus_phrase(Ui& ui) {
  ui.state.focus = "phrase";
  ui.state.focus_by_keyboard = true;
}

void recompute(Ui& ui) {
  ui.session.recompute();
}

void compare_backends(Ui& ui) {
  ui.session.jobs.compare_backends(ui.session.trace());
}

const CommandAction kActions[] = {
    {CommandId::undo, plain<undo_request>},
    {CommandId::redo, plain<redo_request>},
    {CommandId::set_option, set_option},
    {CommandId::show_option, [](Ui& ui, const std::string& option) { focus_option(ui, option); }},
    {CommandId::toggle_key_phrase, plain<toggle_key_phrase>},
    {CommandId::interventions, plain<show_interventions>},
    {CommandId::head_menu, plain<ask_for_head_menu>},
    {CommandId::pin, plain<pin_result>},
    {CommandId::unpin, plain<unpin_result>},
    {CommandId::next_problem, plain<go_to_problem>},
    {CommandId::focus_phrase, plain<focus_phrase>},
    {CommandId::recompute, plain<recompute>},
    {CommandId::compare_backends, plain<compare_backends>},
};

}  // namespace

bool focus_option(Ui& ui, std::string_view option) {
  const std::string control = control_of_option(option);
  if (control.empty()) return false;
  if (control.starts_with("request/")) {
    ui.session.view.request_collapsed = false;
    ui.session.view.request_opened_by_hand = true;
    std::map<std::string, bool>& open = ui.state.panels.get<UnfoldedRows>().open;
    open["request/more"] = true;
    constexpr std::array<std::string_view, 5> kShown = {"groups", "hide-tokens", "renormalise", "weighting", "top-p"};
    if (std::find(kShown.begin(), kShown.end(), option) != kShown.end()) open["request/shown"] = true;
  }
  ui.state.focus = control;
  ui.state.focus_by_keyboard = true;
  ui.state.reveal_focus = true;
  return true;
}

std::span<const CommandAction> request_commands() {
  return kActions;
}

}  // namespace headscope::ui
