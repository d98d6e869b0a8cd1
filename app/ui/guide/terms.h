// The terms of the window: which control stands for which one, and what the guide's glossary says of it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headscope::ui {

struct Ui;

struct TermRow {
  std::string_view control, term;
};
// Every control that stands for a term.
std::span<const TermRow> term_rows();

// The page of the guide whose headings are terms.
inline constexpr std::string_view kGlossary = "12-glossary";

// The term that a control of this name in the probe stands for, as the glossary's heading spells it:
// "request/fact/scale" is the scale, "pipeline/query_proj" a query. "" for a control that stands for none.
std::string_view term_of_control(std::string_view control);

// The first sentence of the glossary below this heading of its English page, in the language of this code; "" where it
// has no such heading.
std::string term_sentence(std::string_view term, const std::string& language = "en");

// Returns the tooltip of the control's term in the window's language: its sentence, and that F1 opens the glossary
// there;
// "" without a term.
std::string term_tip(const Ui& ui, std::string_view control);

// "12-glossary#scale", as the command Guide takes it.
std::string term_page(std::string_view term);

}  // namespace headscope::ui
