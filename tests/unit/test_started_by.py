"""Who ran a run: what the environment names, on the run's claims, and in the history."""

from __future__ import annotations

import pytest

from tests.unit.macros import Macros

AIRFLOW = {"AIRFLOW_CTX_DAG_ID": "nightly", "AIRFLOW_CTX_DAG_RUN_ID": "scheduled__2024-03-03"}
PLATFORM = {"DBT_CLOUD_JOB_ID": "42", "DBT_CLOUD_RUN_ID": "4711"}


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, {}),
        ({"USER": ""}, {}),
        ({"USER": "anna"}, {"user": "anna"}),
        ({"USERNAME": "anna"}, {"user": "anna"}),
        # as cron has it
        ({"LOGNAME": "anna", "HOME": "/home/anna"}, {"user": "anna"}),
        ({"USER": "airflow", **AIRFLOW}, {"user": "airflow", "job": "nightly", "run": "scheduled__2024-03-03"}),
        (AIRFLOW | PLATFORM, {"job": "42", "run": "4711"}),
        ({"DBT_CLOUD_JOB_ID": "42", "DBT_ENV_SECRET_TOKEN": "x", "PASSWORD": "x"}, {"job": "42"}),
    ],
)
def test_the_environment_names_the_user_the_job_and_its_run(environment: dict[str, str], told: dict[str, str]) -> None:
    assert Macros(environment=environment).started_by() == told


@pytest.mark.parametrize(("environment", "told"), [(PLATFORM, {"job": "42", "run": "4711"}), ({}, {})])
def test_the_history_tells_what_the_claim_of_a_run_has(environment: dict[str, str], told: dict[str, str]) -> None:
    macros = Macros(environment=environment, invocation_id="run-1")
    macros.replace({"lease_holder": lambda: None, "next_moment": lambda: "2024-03-03T08:00:00.000000"})
    model = {"relation": "shop.orders", "unique_id": "model.shop.orders", "kind": "full"}
    load = {"event": "loaded", "interval_start": "2024-03-02T00:00:00", "interval_end": "2024-03-03T00:00:00"}
    events = [macros.claim_event("2024-03-03T08:00:00", 3600), load, {"event": "released"}]
    (run,) = macros.runs_in_log(macros.whole_events(model, events))
    assert (run["state"], run["by"]) == ("done", told)
