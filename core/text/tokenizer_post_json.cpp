// The post-processor of tokenizer.json: the special tokens around one text and between two.
#include <string>
#include <utility>
#include <vector>

#include "core/text/each_step.h"
#include "core/text/tokenizer_json.h"

namespace headscope {

namespace {

// ["[SEP]", 102]
PostProcessor::Special read_pair(const JsonPart& part) {
  const std::vector<JsonPart> items = part.items();
  if (items.size() != 2) part.refuse("a piece and its id");
  return {items[1].integer(0, Vocabulary::kLargestId), items[0].text()};
}

void add_special(const JsonPart& tokens, const std::string& name, std::vector<PostProcessor::Special>& frame) {
  const JsonPart token = tokens.at(name);
  const std::vector<JsonPart> ids = token.at("ids").items(), spellings = token.at("tokens").items();
  if (ids.size() != spellings.size()) token.refuse("as many tokens as ids");
  for (std::size_t k = 0; k < ids.size(); ++k) {
    frame.push_back({ids[k].integer(0, Vocabulary::kLargestId), spellings[k].text()});
  }
}

using PairPart = PostProcessor::PairPart;

// What stands for two texts: empty unless each stands there once, the first before the second.
std::vector<PairPart> read_pair_template(const JsonPart& part) {
  std::vector<PairPart> pair;
  std::string order;
  if (!part.at("pair").present()) return {};
  for (const JsonPart& item : part.at("pair").items()) {
    const JsonPart added = item.at("SpecialToken"), text = item.at("Sequence");
    const JsonPart& given = added.present() ? added : text;
    if (!given.present()) item.refuse("a SpecialToken or a Sequence");
    const std::int64_t type = given.at("type_id").present() ? given.at("type_id").integer(0, 1000) : 0;
    const JsonPart named = given.at("id");
    const std::string& id = named.text();
    if (!added.present()) {
      if (id != "A" && id != "B") item.refuse("the Sequence A or B");
      order += id;
      pair.push_back({id == "A" ? PairPart::Of::first : PairPart::Of::second, {}, type});
      continue;
    }
    std::vector<PostProcessor::Special> specials;
    add_special(part.at("special_tokens"), id, specials);
    for (PostProcessor::Special& one : specials) pair.push_back({PairPart::Of::added, std::move(one), type});
  }
  return order == "AB" ? pair : std::vector<PairPart>();
}

void read_template(const JsonPart& part, PostProcessor& post) {
  bool behind = false;
  std::vector<PostProcessor::Special> before, after;
  for (const JsonPart& item : part.at("single").items()) {
    if (item.at("SpecialToken").present()) {
      add_special(part.at("special_tokens"), item.at("SpecialToken").at("id").text(), behind ? after : before);
    } else if (item.at("Sequence").present() && item.at("Sequence").at("id").text() == "A" && !behind) {
      behind = true;
    } else {
      item.refuse("a SpecialToken, or once the Sequence A");
    }
  }
  if (!behind) part.at("single").refuse("the Sequence A among its items");
  // Of two patterns in a row it is not known what both together make of two texts.
  const bool first = post.before.empty() && post.after.empty();
  post.pair = first ? read_pair_template(part) : std::vector<PairPart>();
  post.before.insert(post.before.begin(), before.begin(), before.end());
  post.after.insert(post.after.end(), after.begin(), after.end());
}

void add_post_processor(const JsonPart& part, PostProcessor& post) {
  const JsonPart type = part.at("type");
  const std::string& name = type.text();
  const bool roberta = name == "RobertaProcessing";
  if (name == "ByteLevel" || roberta) {
    if (part.at("trim_offsets").flag(true)) {
      post.trim_offsets = true;
      post.add_prefix_space = part.at("add_prefix_space").flag(true);
    }
    if (!roberta) return;
  }
  if (name == "BertProcessing" || roberta) {
    const PostProcessor::Special begin = read_pair(part.at("cls")), end = read_pair(part.at("sep"));
    const bool first = post.before.empty() && post.after.empty();
    post.pair = !first ? std::vector<PairPart>() : roberta ? roberta_pair(begin, end) : bert_pair(begin, end);
    post.before.insert(post.before.begin(), begin);
    post.after.push_back(end);
  } else if (name == "TemplateProcessing") {
    read_template(part, post);
  } else {
    type.refuse("BertProcessing, ByteLevel, RobertaProcessing, Sequence or TemplateProcessing");
  }
}

}  // namespace

PostProcessor read_post_processor(const JsonPart& part) {
  PostProcessor post;
  each_step(part, "processors", [&](const JsonPart& step) { add_post_processor(step, post); });
  return post;
}

std::vector<PairPart> bert_pair(const PostProcessor::Special& begin, const PostProcessor::Special& end) {
  using Of = PairPart::Of;
  return {{Of::added, begin, 0}, {Of::first, {}, 0}, {Of::added, end, 0}, {Of::second, {}, 1}, {Of::added, end, 1}};
}

std::vector<PairPart> roberta_pair(const PostProcessor::Special& begin, const PostProcessor::Special& end) {
  using Of = PairPart::Of;
  return {{Of::added, begin, 0}, {Of::first, {}, 0},  {Of::added, end, 0},
          {Of::added, end, 0},   {Of::second, {}, 0}, {Of::added, end, 0}};
}

}  // namespace headscope
