#include "core/export/session_file.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/io/png.h"
#include "core/request/request_text.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;
using Json = nlohmann::json;

SessionFile file_parsed(const std::string& json) {
  return parse_session(json, "s.json");
}

Request everything() {
  Request r;
  r.phrase = "caf\xc3\xa9 \"x\"\n\xf0\x9f\x98\x80";
  r.second_phrase = "";
  r.key_phrase = "";
  r.token_ids = {1, 2, 0};
  r.image = "a cat.png";
  r.features = "a sound.npy";
  r.input = "x.npy";
  r.model = "gpt2";
  r.layer = 0;
  r.heads = 7;
  r.seed = 18446744073709551615u;
  r.dropout_seed = 9007199254740993u;
  r.init_gain = 0.1;
  r.mask = {{MaskTerm::Kind::causal, 0, ""}, {MaskTerm::Kind::padding, 2, ""}, {MaskTerm::Kind::file, 0, "m.npy"}};
  r.mask_order = MaskOrder::before_scale;
  r.mask_fill = -1e20;
  r.scale = 0.30000000000000004;
  r.softcap = 50;
  r.softcap_order = SoftcapOrder::after_mask;
  r.past = 2;
  r.key_past = "key past.npy";
  r.value_past = "value past.npy";
  r.dropout = 0.5;
  r.groups = GroupBy::words;
  r.hide_tokens = HideTokens::special;
  r.renormalise = true;
  r.weighting = Weighting::value_norm;
  r.top_p = 0.9;
  r.merge = Merge::direct;
  r.variants = {Variant::no_scale, Variant::mask_after_softmax};
  r.ablate = {{0, 3}, {11, 5}};
  r.backend = BackendChoice::reference;
  r.threads = 2;
  return r;
}

TEST(Session, EverythingReadsBackAsItWas) {
  ViewSpec view;
  view.view = ViewKind::stage;
  view.stage = StageId::masked_scores;
  view.batch = 1;
  view.head = 5;
  view.colormap = ColorMap::magma;
  view.range = RangeKind::fixed;
  view.range_low = -1.5;
  view.range_high = 1e-3;
  view.log_scale = true;
  view.cell = 12;
  view.labels = false;
  view.color_bar = false;
  view.theme = Theme::light;
  view.width = 900;
  view.scale = 2.5;
  const SessionFile back = file_parsed(session_json(everything(), view));
  EXPECT_TRUE(back.request == everything());
  ASSERT_TRUE(back.view.has_value());
  EXPECT_TRUE(*back.view == view);
}

TEST(Session, OnlyWhatDiffersFromTheDefaultsIsWrittenAndAlwaysThePhrase) {
  const Json json = Json::parse(session_json(Request{}, std::nullopt));
  EXPECT_EQ(json.size(), 2u);
  EXPECT_EQ(json.at("phrase"), "");
  EXPECT_TRUE(json.at("headscope").is_string());
  EXPECT_TRUE(file_parsed(session_json(Request{}, std::nullopt)).request == Request{});
  EXPECT_FALSE(file_parsed(session_json(Request{}, std::nullopt)).view.has_value());
  EXPECT_TRUE(file_parsed(session_json(Request{}, ViewSpec{})).view.has_value());
}

TEST(Session, NumbersAreJsonNumbersAndWordsAreStrings) {
  const Json json = Json::parse(session_json(everything(), std::nullopt));
  EXPECT_EQ(json.at("heads"), 7);
  EXPECT_EQ(json.at("seed").get<std::uint64_t>(), 18446744073709551615u);
  EXPECT_EQ(json.at("scale").get<double>(), 0.30000000000000004);
  EXPECT_EQ(json.at("mask_fill").get<double>(), -1e20);
  EXPECT_EQ(json.at("mask"), "causal,padding:2,m.npy");
  EXPECT_EQ(json.at("mask_order"), "before-scale");
  EXPECT_EQ(json.at("key_phrase"), "");
  EXPECT_EQ(Json::parse(request_json(everything())).at("ablate"), "0.3,11.5");
}

TEST(Session, APhraseOfDigitsStaysAPhrase) {
  Request request;
  request.phrase = "12";
  EXPECT_EQ(Json::parse(session_json(request, std::nullopt)).at("phrase"), "12");
  EXPECT_EQ(file_parsed(session_json(request, std::nullopt)).request.phrase, "12");
}

TEST(Session, NumbersAsStringsAndListsAreAccepted) {
  const SessionFile session = file_parsed(R"({"phrase": "a b", "heads": "4", "seed": 9007199254740993, "scale": "auto",
      "mask": ["causal", "padding:2"], "token_ids": [1, 2, 0], "variant": ["no-scale"], "ablate": [],
      "mask_fill": "-inf", "dropout": 5e-1, "view": {"range": [-1, 0.5], "log": true, "labels": "off", "head": 3}})");
  EXPECT_EQ(*session.request.heads, 4);
  EXPECT_EQ(session.request.seed, 9007199254740993u);
  EXPECT_EQ(mask_text(session.request.mask), "causal,padding:2");
  EXPECT_EQ(session.request.token_ids, (std::vector<std::int64_t>{1, 2, 0}));
  EXPECT_EQ(session.request.dropout, 0.5);
  EXPECT_FALSE(session.request.scale.has_value());
  ASSERT_TRUE(session.view);
  EXPECT_EQ(session.view->range, RangeKind::fixed);
  EXPECT_EQ(session.view->range_high, 0.5);
  EXPECT_TRUE(session.view->log_scale);
  EXPECT_FALSE(session.view->labels);
  EXPECT_EQ(session.view->head, 3);
}

TEST(Session, ARequestMayBeNestedAsInAManifest) {
  EXPECT_EQ(*file_parsed(R"({"headscope": "9.9", "request": {"phrase": "a", "heads": 2}})").request.heads, 2);
  EXPECT_EQ(*file_parsed(R"({"request": {"heads": 2}, "stages": {}, "tokens": [], "version": "1"})").request.heads, 2);
}

TEST(Session, APictureGivesItsRecipeBack) {
  const IoFolder folder;
  ViewSpec view;
  view.head = 2;
  std::ostringstream out;
  write_png(out, Image(3, 2, {1, 2, 3, 255}), {{"headscope", session_json(everything(), view)}});
  // The name does not matter, the content does.
  write_bytes(folder.file("picture.json"), out.str());
  const SessionFile session = read_session(folder.file("picture.json"));
  EXPECT_TRUE(session.request == everything());
  EXPECT_EQ(session.view->head, 2);

  std::ostringstream bare;
  write_png(bare, Image(3, 2), {});
  write_bytes(folder.file("bare.png"), bare.str());
  EXPECT_TRUE(contains(refusal_of([&] { read_session(folder.file("bare.png")); }), "without Headscope's recipe"));
}

TEST(Session, APipeIsReadAsAFileIs) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string json = session_json(everything(), std::nullopt);
  ASSERT_EQ(::write(ends[1], json.data(), json.size()), static_cast<ssize_t>(json.size()));
  ::close(ends[1]);
  EXPECT_TRUE(read_session("/dev/fd/" + std::to_string(ends[0])).request == everything());
  ::close(ends[0]);
}

TEST(Session, ARecipeSaysWhichWeightsItWasMadeWith) {
  const SessionFile session = file_parsed(R"({"headscope": "0.1.0", "phrase": "a", "sha256": "00ff"})");
  EXPECT_EQ(session.weights_sha256, "00ff");
  EXPECT_EQ(session.request.phrase, "a");
}

TEST(Session, AMaskFileThatHasNoNameYetIsLeftOut) {
  Request request;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}, {MaskTerm::Kind::file, 0, ""}};
  EXPECT_EQ(mask_text(file_parsed(session_json(request, std::nullopt)).request.mask), "causal");
  request.mask.erase(request.mask.begin());
  EXPECT_TRUE(file_parsed(session_json(request, std::nullopt)).request.mask.empty());
}

TEST(Session, InvalidUtf8NeverBreaksTheWriting) {
  Request request;
  request.phrase = "a\xff";
  EXPECT_EQ(Json::parse(session_json(request, std::nullopt)).at("phrase"), "a\xef\xbf\xbd");
}

TEST(SessionMalformed, NoTruncationOfAGoodSessionIsRead) {
  const std::string good = session_json(everything(), ViewSpec{});
  for (std::size_t size = 0; size + 2 < good.size(); ++size) {
    EXPECT_THROW(file_parsed(good.substr(0, size)), Error) << size;
  }
}

TEST(Session, AFlagIsTrueAndReadsBackFromOnToo) {
  Request request;
  request.renormalise = true;
  EXPECT_EQ(Json::parse(request_json(request)).at("renormalise"), true);
  EXPECT_TRUE(file_parsed(R"({"renormalise": true})").request.renormalise);
  EXPECT_TRUE(file_parsed(R"({"renormalise": "on"})").request.renormalise);
  EXPECT_FALSE(file_parsed(R"({"renormalise": false})").request.renormalise);
  EXPECT_THROW(file_parsed(R"({"renormalise": 1})"), Error);
  EXPECT_THROW(file_parsed(R"({"groups": true})"), Error);
}

}  // namespace
}  // namespace headscope
