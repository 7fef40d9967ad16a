from karatage.reports.answer_texts import AnswerText as AnswerText, LabelName as LabelName, SystemName as SystemName
from karatage.reports.citations import (
    Citation as Citation,
    cite_comparison as cite_comparison,
    cite_gate as cite_gate,
    cite_plan as cite_plan,
    cite_result as cite_result,
    references as references,
)
from karatage.reports.comparison_answers import comparison_answer as comparison_answer
from karatage.reports.github import (
    GitHubJob as GitHubJob,
    github_annotations as github_annotations,
    marker as marker,
    workflow_command as workflow_command,
)
from karatage.reports.html.blocks import Block as Block, Page as Page
from karatage.reports.html.comparison_page import comparison_page as comparison_page
from karatage.reports.html.description_page import (
    description_page as description_page,
    search_description_page as search_description_page,
)
from karatage.reports.html.experiments_page import experiments_page as experiments_page, sweep_page as sweep_page
from karatage.reports.html.extraction_page import (
    explanation_blocks as explanation_blocks,
    explanation_page as explanation_page,
)
from karatage.reports.html.origin import with_origin as with_origin
from karatage.reports.html.recall_page import recall_page as recall_page
from karatage.reports.html.render import (
    plain_html as plain_html,
    render_fragment as render_fragment,
    render_page as render_page,
    write_page as write_page,
)
from karatage.reports.html.samples_page import samples_blocks as samples_blocks, samples_page as samples_page
from karatage.reports.html.search_page import search_blocks as search_blocks, search_page as search_page
from karatage.reports.learning_curves import plot_learning_curves as plot_learning_curves
from karatage.reports.log_markdown import experiments_markdown as experiments_markdown
from karatage.reports.log_tables import (
    experiment_row as experiment_row,
    experiments_csv as experiments_csv,
    write_experiments as write_experiments,
)
from karatage.reports.mlflow_export import export_to_mlflow as export_to_mlflow
from karatage.reports.notebook import (
    comparison_html as comparison_html,
    page_html as page_html,
    result_html as result_html,
)
from karatage.reports.pull_report import pull_markdown as pull_markdown, undecided as undecided
from karatage.reports.recall_citations import (
    cite_board as cite_board,
    cite_label_plan as cite_label_plan,
    cite_pooled as cite_pooled,
    cite_recall as cite_recall,
)
from karatage.reports.repair_views import repair_markdown as repair_markdown, repair_parts as repair_parts
from karatage.reports.result_answers import (
    experiments_answer as experiments_answer,
    extraction_answer as extraction_answer,
    recall_answer as recall_answer,
    result_answer as result_answer,
    samples_answer as samples_answer,
    search_answer as search_answer,
    sweep_answer as sweep_answer,
)
from karatage.reports.score_badge import Badge as Badge, result_badge as result_badge
from karatage.reports.terminal.click_tables import (
    click_judgement_parts as click_judgement_parts,
    impression_plan_parts as impression_plan_parts,
    interleaving_parts as interleaving_parts,
)
from karatage.reports.terminal.comparison_tables import comparison_parts as comparison_parts
from karatage.reports.terminal.description_tables import (
    description_parts as description_parts,
    search_description_parts as search_description_parts,
)
from karatage.reports.terminal.difference_texts import ends as ends, p_value as p_value, signed as signed
from karatage.reports.terminal.experiment_tables import (
    experiment_comparison_parts as experiment_comparison_parts,
    experiment_list_parts as experiment_list_parts,
    experiment_parts as experiment_parts,
)
from karatage.reports.terminal.explanation_tables import (
    explanation_parts as explanation_parts,
    samples_parts as samples_parts,
    search_parts as search_parts,
)
from karatage.reports.terminal.fitting_table import FittingTable as FittingTable
from karatage.reports.terminal.gate_verdict import gate_parts as gate_parts
from karatage.reports.terminal.grade_agreement_tables import grade_agreement_parts as grade_agreement_parts
from karatage.reports.terminal.level_tables import levels_parts as levels_parts
from karatage.reports.terminal.looks_table import used_set_parts as used_set_parts
from karatage.reports.terminal.measured_tables import measured_parts as measured_parts
from karatage.reports.terminal.plan_tables import plan_parts as plan_parts
from karatage.reports.terminal.price_bin_tables import price_bin_parts as price_bin_parts
from karatage.reports.terminal.recall_tables import (
    agreement_parts as agreement_parts,
    board_markdown as board_markdown,
    board_parts as board_parts,
    draw_parts as draw_parts,
    estimate_parts as estimate_parts,
    finding_parts as finding_parts,
    label_plan_parts as label_plan_parts,
    labelled_parts as labelled_parts,
    pooled_parts as pooled_parts,
    tax_parts as tax_parts,
    taxes_parts as taxes_parts,
)
from karatage.reports.terminal.result_tables import (
    confusion_table as confusion_table,
    errors_table as errors_table,
    kinds_line as kinds_line,
    percent as percent,
    result_parts as result_parts,
    show as show,
    show_interval as show_interval,
    units_table as units_table,
)
from karatage.reports.terminal.submission_tables import submission_parts as submission_parts
from karatage.reports.terminal.text_tables import plain as plain, print_parts as print_parts, print_table as print_table
from karatage.reports.terminal.training_tables import print_sweep as print_sweep, print_training as print_training
