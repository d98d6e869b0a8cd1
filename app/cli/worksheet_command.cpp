#include <fmt/format.h>

#include <string>
#include <string_view>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/picture/text/text_fonts.h"
#include "core/request/option_text.h"
#include "core/worksheet/worksheet.h"
#include "core/worksheet/worksheet_file.h"

namespace headscope::cli {

namespace {

WorksheetSpec given_worksheet(const Arguments& given) {
  WorksheetSpec spec;
  if (given.has("phrase")) {
    spec.words.clear();
    const std::string phrase = given.get("phrase");
    for (const std::string_view word : words_of(phrase)) spec.words.emplace_back(word);
  }
  const auto small = [&](const char* option, int& number) {
    if (given.has(option)) number = static_cast<int>(whole_number(option, given.get(option), 1, kMostSheets));
  };
  small("heads", spec.heads);
  small("d-model", spec.d_model);
  small("sheets", spec.sheets);
  if (given.has("mask")) spec.causal = choice_of("mask", given.get("mask"), {"none", "causal"}) == 1;
  if (given.has("seed")) spec.seed = parse_seed("seed", given.get("seed"));
  if (given.has("cells")) spec.blanks = blank_choices_of(given.get("cells"));
  check_worksheet(spec);
  return spec;
}

void run_worksheet(const Arguments& given, const CancelToken& cancel) {
  const WorksheetSpec spec = given_worksheet(given);
  const bool letter = choice_of("paper", given.get("paper", "a4"), {"a4", "letter"}) == 1;
  const SheetSize size = letter ? SheetSize::letter : SheetSize::a4;
  const WorksheetFiles files{given.get("out"), given.get("solutions")};
  if (files.pdf.empty()) throw UsageError("out", given.has("out") ? "found ''" : "missing", "--out FILE.pdf");
  if (!files.pdf.ends_with(".pdf")) throw UsageError("out", fmt::format("'{}'", files.pdf), "a name that ends in .pdf");
  if (given.has("solutions") && !files.solutions.ends_with(".csv")) {
    throw UsageError("solutions", fmt::format("'{}'", files.solutions), "a name that ends in .csv");
  }
  if (files.solutions == files.pdf) throw UsageError("solutions", "the file of --out", "another one");
  write_worksheet(files, spec, size, cancel);
  if (draws_with_built_in_font()) {
    print_notice("no font is installed: the text is drawn with the font that the program carries");
  }
  if (const std::string missing = missing_letters_words(spec); !missing.empty()) print_notice(missing);
  const int pages = student_pages(spec, size) * spec.sheets;
  print(fmt::format("written to {}: {} on {}, then the solutions\n", printable(files.pdf),
                    counted(spec.sheets, "sheet"), counted(pages, "page")));
  if (!files.solutions.empty()) print(fmt::format("written to {}: the solutions\n", printable(files.solutions)));
}

}  // namespace

Command worksheet_command() {
  CommandSpec spec;
  spec.name = "worksheet";
  spec.usage = "[--phrase TEXT] [--sheets N] [--cells LIST] --out FILE.pdf [--solutions FILE.csv]";
  spec.summary =
      "Writes sheets of attention to compute by hand, each with numbers of its own and some cells left blank, and "
      "their solutions on pages of their own.";
  spec.groups = {
      {"Worksheet",
       {{"phrase", "TEXT",
         "3 or 4 words, of at most 12 letters each (default: green book cat). One that is there twice has its position "
         "behind it."},
        {"d-model", "2|3|4", "Features of all heads together (default 2)."},
        {"heads", "1|2", "Heads, which share the features (default 1)."},
        {"mask", "none|causal", "causal: no word sees a later one (default none)."},
        {"cells", "LIST",
         "What is left blank, 26 cells at most: a number (default 8), drawn from all stages in turn; or terms with "
         "commas between them: STAGE:N or STAGE:all draws cells of raw_scores, scores, exp, sum, weights, context or "
         "output; weights[H,I,J], sum[H,I], context[H,I,D] and output[I,D] are one cell, counted from 0."},
        {"sheets", "N", "How many sheets, 1 to 500: one a student (default 1)."},
        {"seed", "N",
         "Of the first sheet (default 0); each sheet has the next seed, and the same seed is the same sheet again."},
        {"paper", "a4|letter", "The size of the pages (default a4)."},
        {"out", "FILE.pdf", "All sheets, then all solutions. An existing file is replaced at once."},
        {"solutions", "FILE.csv",
         "The solutions as a table in UTF-8, a line a blank: sheet, seed, blank, cell, value, calculation. An existing "
         "file is replaced at once."}}}};
  spec.examples = {"headscope-cli worksheet --out sheet.pdf",
                   "headscope-cli worksheet --phrase 'the cat sat' --mask causal --d-model 4 --heads 2 --sheets 30 "
                   "--seed 100 --cells raw_scores:2,weights:2,output:1 --out class.pdf --solutions class.csv"};
  return {spec, run_worksheet};
}

}  // namespace headscope::cli
