from karatage.inputs.claims_io import (
    check_graded as check_graded,
    convert as convert,
    format_by_ending as format_by_ending,
    read as read,
    scan as scan,
    write as write,
)
from karatage.inputs.cutting import (
    InputParts as InputParts,
    can_be_cut as can_be_cut,
    cut_alike as cut_alike,
    shard_sizes as shard_sizes,
    shards_alike as shards_alike,
)
from karatage.inputs.data_file import DataFile as DataFile, describe_file as describe_file
from karatage.inputs.in_memory import as_input as as_input
from karatage.inputs.input import (
    Annotators as Annotators,
    Content as Content,
    Input as Input,
    Runs as Runs,
    Sets as Sets,
)
from karatage.inputs.reading import (
    Columns as Columns,
    FormatName as FormatName,
    Invalid as Invalid,
    Reading as Reading,
    ReadingKeywords as ReadingKeywords,
    SchemeName as SchemeName,
    Separator as Separator,
    ShardKeywords as ShardKeywords,
    ShardReading as ShardReading,
    SkipBad as SkipBad,
    Suffix as Suffix,
    TagReading as TagReading,
    UnitKind as UnitKind,
)
from karatage.inputs.shard_pairs import (
    are_shards as are_shards,
    paired_shards as paired_shards,
    without_partner as without_partner,
)
from karatage.inputs.side_by_side import read_together as read_together
