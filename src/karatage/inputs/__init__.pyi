from karatage.inputs.claims_io import (
    convert as convert,
    format_by_ending as format_by_ending,
    read as read,
    scan as scan,
    write as write,
)
from karatage.inputs.cutting import InputParts as InputParts, can_be_cut as can_be_cut, cut_alike as cut_alike
from karatage.inputs.data_file import DataFile as DataFile, describe_file as describe_file
from karatage.inputs.in_memory import as_input as as_input
from karatage.inputs.input import Annotators as Annotators, Input as Input, Runs as Runs, Sets as Sets
from karatage.inputs.reading import (
    Columns as Columns,
    FormatName as FormatName,
    Reading as Reading,
    ReadingKeywords as ReadingKeywords,
    SchemeName as SchemeName,
    Separator as Separator,
    Suffix as Suffix,
    TagReading as TagReading,
    UnitKind as UnitKind,
)
