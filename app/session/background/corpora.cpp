#include "app/session/background/corpora.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "core/base/error.h"
#include "core/corpus/corpus_file.h"
#include "core/headvis/headvis_read.h"
#include "core/headvis/headvis_table.h"
#include "core/io/sha256.h"
#include "core/model/architecture_text.h"
#include "core/model/checkpoint.h"
#include "core/model/demo_checkpoints.h"
#include "core/model/weights_sha256.h"

namespace headscope {
namespace {

CorpusPhrase phrase_of(const auto& of, const std::string& text) {
  CorpusPhrase phrase;
  phrase.text = text;
  if (of.tokenizer == nullptr) return phrase;
  phrase.ids = of.tokenizer->tokenize(text).ids;
  const auto most = static_cast<std::size_t>(of.record->facts.most_tokens);
  phrase.cut = phrase.ids.size() > most;
  phrase.ids.resize(std::min(phrase.ids.size(), most));
  for (const std::int64_t id : phrase.ids) phrase.pieces.push_back(of.tokenizer->piece_of(id));
  return phrase;
}

}  // namespace

CorpusContents corpus_contents(const CorpusQuery& of, const CancelToken&) {
  CorpusContents contents;
  std::error_code ignored;
  if (std::filesystem::is_directory(of.file, ignored)) {
    contents.headvis = std::make_shared<const HeadVisTree>(read_headvis_tree(of.file));
    if (contents.headvis->config.heads.empty()) throw Error(of.file + ": config.json lists no head");
    if (contents.headvis->config.metrics.empty()) throw Error(of.file + ": config.json lists no metric");
    contents.record = std::make_shared<const CorpusRecord>(headvis_record(*contents.headvis));
    contents.table = std::make_shared<const HeadTable>(headvis_table(*contents.headvis));
    return contents;
  }
  contents.record = std::make_shared<const CorpusRecord>(read_corpus_file(of.file));
  if (contents.record->heads.empty()) throw Error(of.file + ": no head is in it; scan some");
  contents.table = std::make_shared<const HeadTable>(head_table(*contents.record));
  return contents;
}

std::shared_ptr<const PhraseList> corpus_list(const CorpusListQuery& of, const CancelToken& cancel) {
  auto list = std::make_shared<const PhraseList>(PhraseList::open(of.path, cancel));
  const CorpusFacts& facts = of.record->facts;
  if (list->sha256() != facts.list_sha256) {
    throw Error(
        fmt::format("{} is not the list that was scanned: it has {} lines and the sha256 {}, that one {} lines "
                    "and {}",
                    of.path, list->size(), list->sha256(), facts.list_size, facts.list_sha256));
  }
  return list;
}

namespace {

// Error when the model lacks a head of the record.
void check_heads(const CorpusModelQuery& of, const Architecture& architecture) {
  for (const HeadRecord& head : of.record->heads) {
    if (head.layer < architecture.num_layers && head.head < architecture.num_heads) continue;
    throw Error(fmt::format("{} is not {}: it has {} layers of {} heads, and the folder has head {}.{}", of.model,
                            of.record->facts.model, architecture.num_layers, architecture.num_heads, head.layer,
                            head.head));
  }
}

}  // namespace

std::shared_ptr<const Tokenizer> corpus_model(const CorpusModelQuery& of, const CancelToken& cancel) {
  const std::shared_ptr<const Checkpoint> checkpoint = Checkpoint::open(of.model);
  if (checkpoint->tokenizer() == nullptr) {
    throw Error(checkpoint->no_tokenizer_sentence() + "; the scan had one");
  }
  const CorpusFacts& facts = of.record->facts;
  if (facts.sha256.empty()) {
    check_heads(of, checkpoint->architecture());
    return checkpoint->tokenizer();
  }
  const std::string digest = sha256_of(*checkpoint, cancel);
  if (digest != facts.sha256) {
    throw Error(fmt::format("{} is not the model that was scanned: its weights have the sha256 {}, those of {} {}",
                            of.model, digest, facts.model, facts.sha256));
  }
  const std::string settings = architecture_text(checkpoint->architecture());
  if (!facts.architecture.empty() && settings != facts.architecture) {
    throw Error(
        fmt::format("{} is not the model that was scanned: its weights are, but of its settings (config.json) {}",
                    of.model, architecture_difference(settings, facts.architecture)));
  }
  return checkpoint->tokenizer();
}

std::vector<CorpusPhrase> corpus_phrases_of(const CorpusPhrasesQuery& of, const CancelToken& cancel) {
  const std::vector<CorpusExample>& examples = of.examples;
  std::vector<CorpusPhrase> phrases(examples.size());
  std::multimap<std::int64_t, std::size_t> wanted;
  for (std::size_t k = 0; k < examples.size(); ++k) wanted.emplace(examples[k].phrase, k);
  if (wanted.empty()) return phrases;
  of.list->visit({wanted.begin()->first, wanted.rbegin()->first + 1}, [&](const ListedPhrase& phrase) {
    cancel.check();
    const auto [begin, end] = wanted.equal_range(phrase.index);
    for (auto at = begin; at != end; ++at) {
      if (short_sha256(phrase.text) != examples[at->second].hash) {
        throw Error(fmt::format("phrase {} of the list is not the one that was scanned", phrase.index));
      }
      phrases[at->second] = phrase_of(of, phrase.text);
    }
  });
  return phrases;
}

CorpusPhrase corpus_point_phrase(const CorpusPointQuery& of, const CancelToken& cancel) {
  const PointPlace& place = of.record->points[of.point];
  CorpusPhrase found;
  of.list->visit({place.phrase, place.phrase + 1}, [&](const ListedPhrase& phrase) {
    cancel.check();
    if (short_sha256(phrase.text) != place.hash) {
      throw Error(fmt::format("phrase {} of the list is not the one that was scanned", phrase.index));
    }
    found = phrase_of(of, phrase.text);
  });
  return found;
}

HeadPoints points_of_head(const HeadPointsQuery& of, const CancelToken&) {
  return head_points(*of.record, of.head, of.kind);
}

HeadAmongOthers head_among_others(const HeadsLikeQuery& of, const CancelToken&) {
  HeadAmongOthers among{
      heads_like(*of.table, of.head, of.most), heads_like(*of.table, of.head, of.most, AlikeBy::pattern), {}};
  for (std::size_t mean = 0; mean < of.table->keys.size(); ++mean) {
    among.ranks.push_back(of.table->rank(mean, of.head));
  }
  return among;
}

HeadTree head_tree_of(const HeadTreeQuery& of, const CancelToken& cancel) {
  return head_tree(*of.table, of.heads, cancel);
}

HeadVisHead headvis_head(const HeadVisHeadQuery& of, const CancelToken&) {
  return read_headvis_head(of.folder, of.tree->config, of.head.layer, of.head.head);
}

std::string list_beside(const std::string& file) {
  for (const char* ending : {".txt", ".txt.gz", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"}) {
    std::filesystem::path list(file);
    list.replace_extension(ending);
    std::error_code error;
    if (std::filesystem::is_regular_file(list, error)) return list.string();
  }
  return "";
}

std::string shipped_corpus() {
  // assets/demos/stories has assets/corpus beside its parent, and so it is installed.
  try {
    const std::filesystem::path demos = std::filesystem::path(demo_folder("stories")).parent_path();
    const std::filesystem::path file = demos.parent_path() / "corpus" / "stories.hsagg";
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) return file.string();
  } catch (const UsageError&) {
    return "";
  }
  return "";
}

}  // namespace headscope
