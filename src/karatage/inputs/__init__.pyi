from karatage.inputs.claims_io import (
    convert as convert,
    format_by_ending as format_by_ending,
    read as read,
    scan as scan,
    write as write,
)
from karatage.inputs.corpus import Corpus as Corpus, Runs as Runs, Sets as Sets, open_corpus as open_corpus
from karatage.inputs.data_file import DataFile as DataFile, describe_file as describe_file
from karatage.inputs.parsed_once import read_once as read_once
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
