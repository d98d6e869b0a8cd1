// A record as JSON and as tables.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/corpus/corpus_record.h"
#include "core/corpus/head_table.h"

namespace headscope {

// {model, sha256, tokenizer, phrases, tokens, most_tokens, repeated, architecture (null: of captures, or in an older
// file), ablation_sample, points, loss:{tokens, mean} (null: no sample), phrase_loss:{tokens, mean} (null: not asked
// for), list:{size, sha256, scanned, missing, blank, unreadable},
//  heads:[{layer, head, rows, entropy, ..., max_weight, histograms:{entropy:{edges, counts}, ...},
//          top:[{value, phrase, query, key, hash}], samples:[{low, high, rows:[{value, phrase, query, key, hash}]}],
//          pattern:[[8 means] of 8 parts of the queries] ("nan" over no row; null in an older file),
//          repeated:{rows, previous, next, duplicate, induction} (null: none were run),
//          loss_ablated (null without a sample), pointing, variance: variance_json(), query_tokens:[{token, id, rows}],
//          key_tokens:[{token, id, rows}]}]}
nlohmann::ordered_json corpus_json(const CorpusRecord& record);

// Writes heads.csv (layer,head,rows and the metrics, where repeated tokens were run also repeated_rows,
// repeated_previous ..., of a sample loss and loss_ablated, of --loss phrase_loss, which is the same for all heads),
// histograms.csv (layer,head,metric,low,high,rows), top.csv (layer,head,rank,value,phrase,query,key,hash), samples.csv
// (layer,head,low,high,value,phrase,query,key,hash), tokens.csv (layer,head,side,rank,token,id,rows) and patterns.csv
// (layer,head,query_part,key_part,rows,weight) into the folder, which is made where it is missing, and of the head
// `points_of`, where one is named, points.csv (write_points()): all or none. Returns their names.
std::vector<std::string> write_corpus_tables(const std::string& folder, const CorpusRecord& record,
                                             std::optional<std::size_t> points_of = {});

// The text of heads.csv.
std::string heads_csv(const CorpusRecord& record);

// layer,head and the means that the table holds, of these heads, by their indices; nan where a head has none.
std::string heads_csv(const HeadTable& table, std::span<const std::size_t> heads);

}  // namespace headscope
