#include <fmt/format.h>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/corpus_report.h"

namespace headscope::cli {

void add_corpus(const std::string& path, Description& description) {
  const CorpusRecord record = read_corpus_file(path);
  nlohmann::ordered_json corpus = corpus_json(record);
  corpus["heads"] = record.heads.size();
  description.json["corpus"] = corpus;
  description.text +=
      fmt::format("what {} of {} do over {} and {} of a list of {} (headscope-cli report shows it)\n",
                  counted(static_cast<std::int64_t>(record.heads.size()), "head"), printable(record.facts.model),
                  counted(record.phrases, "phrase"), counted(record.tokens, "token"), record.facts.list_size);
}

}  // namespace headscope::cli
