from karatage._writing import writing as writing
from karatage.formats.batching import (
    NO_OFFSET as NO_OFFSET,
    UnitRecord as UnitRecord,
    claims_batches as claims_batches,
    records_of as records_of,
)
from karatage.formats.cells import (
    id_text as id_text,
    is_null as is_null,
    scalar_text as scalar_text,
    whole as whole,
    whole_text as whole_text,
)
from karatage.formats.columns.conll import column_count as column_count
from karatage.formats.conversion import (
    align as align,
    convert as convert,
    find_words as find_words,
    to_tokens as to_tokens,
)
from karatage.formats.format import (
    Cuts as Cuts,
    FileStart as FileStart,
    Format as Format,
    Lost as Lost,
    ReadOptions as ReadOptions,
    WriteOptions as WriteOptions,
)
from karatage.formats.io import (
    Source as Source,
    SourcePart as SourcePart,
    bounded_lines as bounded_lines,
    decode as decode,
    guard as guard,
    is_utf8 as is_utf8,
    to_bytes as to_bytes,
)
from karatage.formats.json.entity_records import (
    claims_of_records as claims_of_records,
)
from karatage.formats.json.json_members import JsonObject as JsonObject
from karatage.formats.json.json_records import (
    id_member as id_member,
    records as records,
    write_array as write_array,
    write_lines as write_lines,
)
from karatage.formats.json.label_studio import (
    ANNOTATIONS as ANNOTATIONS,
    LABEL_STUDIO as LABEL_STUDIO,
    LABEL_STUDIO_PREDICTIONS as LABEL_STUDIO_PREDICTIONS,
)
from karatage.formats.json.label_studio_exports import refuse_other_exports as refuse_other_exports
from karatage.formats.json.label_studio_results import (
    all_choices as all_choices,
    count_others as count_others,
    spans_of as spans_of,
    text_key as text_key,
)
from karatage.formats.json.label_studio_tasks import (
    CHOICE as CHOICE,
    check_configuration as check_configuration,
    span_result as span_result,
    write_configuration as write_configuration,
)
from karatage.formats.json.model_answers import (
    ANSWERS as ANSWERS,
    INVALID as INVALID,
    looks_like_json as looks_like_json,
)
from karatage.formats.json.pipeline_words import fits as fits
from karatage.formats.losses import (
    ATTRIBUTES as ATTRIBUTES,
    CLAIMS as CLAIMS,
    NO_TOKENS as NO_TOKENS,
    POSITIONS as POSITIONS,
    TEXTS as TEXTS,
    WORDS as WORDS,
    check_space as check_space,
    drop_unsupported as drop_unsupported,
)
from karatage.formats.offset_causes import OffsetCauses as OffsetCauses
from karatage.formats.prefetching import prefetch as prefetch
from karatage.formats.reading_meter import ReadingMeter as ReadingMeter
from karatage.formats.registry import (
    format_names as format_names,
    get_format as get_format,
    is_corpus as is_corpus,
    sniff as sniff,
    undetected_search as undetected_search,
)
from karatage.formats.search.document_prices import read_prices as read_prices, read_text as read_text
from karatage.formats.search.grade_names import named_grades as named_grades
from karatage.formats.search.ir_dataset_qrels import is_dataset_name as is_dataset_name, read_dataset as read_dataset
from karatage.formats.search.relevance_columns import check_named as check_named, is_relevance as is_relevance
from karatage.formats.search.relevance_tables import from_frame as from_frame, from_mapping as from_mapping
from karatage.formats.search.run_ranks import WHOLE as WHOLE
from karatage.formats.search.search_conversion import (
    convert_relevance as convert_relevance,
    join_relevance as join_relevance,
)
from karatage.formats.stored_objects import open_url as open_url
from karatage.formats.tables.claim_tables import claims_of_frame as claims_of_frame
from karatage.formats.tables.delimited import (
    bad_quoting as bad_quoting,
    check_row as check_row,
    check_width as check_width,
    read_rows as read_rows,
    to_rows as to_rows,
)
from karatage.formats.tables.formulas import (
    FORMULA as FORMULA,
    quoted_formula as quoted_formula,
    unquoted_formula as unquoted_formula,
)
from karatage.formats.tables.parquet import MAGIC as MAGIC, ParquetTable as ParquetTable
from karatage.formats.tables.table_columns import is_claim_table as is_claim_table
from karatage.formats.toml_text import to_toml as to_toml
from karatage.formats.unrecognised import header_names as header_names
