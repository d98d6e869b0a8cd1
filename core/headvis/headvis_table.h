// The folder that HeadVis shows as heads to draw and to compare.
#pragma once

#include "core/corpus/corpus_record.h"
#include "core/corpus/head_table.h"
#include "core/headvis/headvis_tree.h"

namespace headscope {

// Its metrics as means, all of them compared. Names that stand for one of ours (headvis_metrics(); of
// Neuronpedia prev_token_score, too) become ours, an entropy only where its description says that it is in bits.
HeadTable headvis_table(const HeadVisTree& tree);

// What a record of a scan would share with it: the model's name and which heads there are. Nothing is counted in it.
CorpusRecord headvis_record(const HeadVisTree& tree);

}  // namespace headscope
