// What a run can take from the one before it: a column of the tables of options, variants and interventions. A row that
// says nothing takes nothing, so that whoever adds one has wrong numbers nowhere, and speed once the row says so.
#pragma once

namespace headscope {

struct Request;

// How far down the stages the rows of tokens keep their numbers when other tokens follow them: each step says more than
// those before it.
enum class RowsApart {
  nowhere,      // rows may be made of all others
  projections,  // up to query, key and value, each row of which is made of its own position
  context,      // also to context: where the mask looks back only, query i is made of the positions 0 ... i
  everywhere,   // also what follows
};

// What differs between two runs whose requests differ in an option alone.
enum class OptionChanges {
  anything,      // nothing is said, and so nothing of the run before is used
  inputs,        // what is read or drawn (Source), which is compared number by number
  named_stages,  // the stages whose rows in stage_infos() name it, and what follows from them
  nothing,       // no number: what computes, and how results are shown
};

// The column of an option. `rows` is asked for every request, also where the option is not given; null: everywhere
// where it is not given, else nowhere.
struct OptionReach {
  OptionChanges changes = OptionChanges::anything;
  RowsApart (*rows)(const Request&) = nullptr;
};

// Whatever its value is.
template <RowsApart apart>
RowsApart always(const Request&) {
  return apart;
}

inline constexpr OptionReach kChangesInputs{OptionChanges::inputs, always<RowsApart::everywhere>};
inline constexpr OptionReach kChangesStages{OptionChanges::named_stages, always<RowsApart::everywhere>};
inline constexpr OptionReach kChangesNothing{OptionChanges::nothing, always<RowsApart::everywhere>};

}  // namespace headscope
