"""The HTTP API: its routes, who may call them, how often, and what is logged of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import Aws, Fn
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from cdk.constructs.acknowledged import acknowledge
from cdk.constructs.auth import Authorisation
from cdk.model import Domain


@dataclass(frozen=True, slots=True)
class Throttle:
    """Calls a second, and how many at once above that."""

    rate: float
    burst: int


CALLS = Throttle(50, 100)
OPEN_CALLS = Throttle(20, 40)
"""Of each route that needs no login."""

LOGGED_IN = ("ANY /api/{proxy+}",)
OPEN: Mapping[str, str] = {
    "POST /api/callbacks/{token}": "the token in the address is the key",
    "POST /api/webhooks/{trigger}": "the signature is checked over the raw body",
    "GET /api/openapi.json": "the document says nothing of the stage",
    "ANY /tasks/{proxy+}": "the signed link is the key; without one, the page asks to log in",
    "GET /": "static files, which hold no data",
    "GET /{proxy+}": "static files, which hold no data",
}
"""Routes without an authoriser, each with what stands in its place."""

_LOGGED = {
    "time": "$context.requestTime",
    "request_id": "$context.requestId",
    "route": "$context.routeKey",
    "status": "$context.status",
    "bytes": "$context.responseLength",
    "milliseconds": "$context.responseLatency",
    "error": "$context.error.message",
    "fault": "$context.integrationErrorMessage",
    "address": "$context.identity.sourceIp",
    "caller": "$context.authorizer.claims.sub",
}
"""Neither the path nor the query: keys stand in both.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
"""


class HttpApi(Construct):
    """The API and its address; `connect` gives it the function that answers."""

    def __init__(self, scope: Construct, id: str, *, stage: str, domain: Domain | None) -> None:
        super().__init__(scope, id)
        self.api = apigateway.CfnApi(
            self,
            "Api",
            name=f"stepsmith-{stage}",
            protocol_type="HTTP",
            disable_execute_api_endpoint=domain is not None,
        )
        self.id = self.api.ref
        self.target: str | None = None
        """What the domain's name has to lead to, where there is one."""
        self.url = self.api.attr_api_endpoint if domain is None else f"https://{domain.name}"
        self._domain = domain

    def connect(
        self, function: lambda_.IFunction, authorisation: Authorisation, log: logs.ILogGroup
    ) -> None:
        """Let a function answer all routes."""
        integration = apigateway.CfnIntegration(
            self,
            "Function",
            api_id=self.id,
            integration_type="AWS_PROXY",
            integration_uri=function.function_arn,
            integration_method="POST",
            payload_format_version="2.0",
            timeout_in_millis=30_000,
        )
        target = Fn.join("/", ["integrations", integration.ref])
        routes = [
            *(self._route(key, target, authorisation) for key in LOGGED_IN),
            *(self._route(key, target, None) for key in OPEN),
        ]
        self._stage(routes, log)
        lambda_.CfnPermission(
            self,
            "Calls",
            action="lambda:InvokeFunction",
            function_name=function.function_arn,
            principal="apigateway.amazonaws.com",
            source_arn=(
                f"arn:{Aws.PARTITION}:execute-api:{Aws.REGION}:{Aws.ACCOUNT_ID}:{self.id}/*/*"
            ),
        )

    def _route(
        self, key: str, target: str, authorisation: Authorisation | None
    ) -> apigateway.CfnRoute:
        method, path = key.split(" ")
        words = "".join(
            part.capitalize() for part in path.replace(".", "/").split("/") if part.isalpha()
        )
        end = "Any" if path.endswith("+}") else "One" if path.endswith("}") else ""
        route = apigateway.CfnRoute(
            self,
            f"{method.capitalize()}{words}{end}",
            api_id=self.id,
            route_key=key,
            target=target,
            authorization_type="NONE" if authorisation is None else authorisation.kind,
            authorizer_id=None if authorisation is None else authorisation.authorizer,
        )
        if authorisation is None:
            acknowledge(route, "AwsSolutions-APIG4", OPEN[key])
        return route

    def _stage(self, routes: list[apigateway.CfnRoute], log: logs.ILogGroup) -> None:
        stage = apigateway.CfnStage(
            self,
            "Stage",
            api_id=self.id,
            stage_name="$default",
            auto_deploy=True,
            access_log_settings=apigateway.CfnStage.AccessLogSettingsProperty(
                destination_arn=(
                    f"arn:{Aws.PARTITION}:logs:{Aws.REGION}:{Aws.ACCOUNT_ID}:log-group:"
                    f"{log.log_group_name}"
                ),
                format=json.dumps(_LOGGED),
            ),
            default_route_settings=apigateway.CfnStage.RouteSettingsProperty(
                throttling_rate_limit=CALLS.rate,
                throttling_burst_limit=CALLS.burst,
                detailed_metrics_enabled=False,
            ),
            route_settings={
                key: {
                    "ThrottlingRateLimit": OPEN_CALLS.rate,
                    "ThrottlingBurstLimit": OPEN_CALLS.burst,
                }
                for key in OPEN
            },
        )
        for route in routes:
            stage.add_resource_dependency(route)
        if self._domain is not None:
            self._name(self._domain, stage)

    def _name(self, domain: Domain, stage: apigateway.CfnStage) -> None:
        name = apigateway.CfnDomainName(
            self,
            "Domain",
            domain_name=domain.name,
            domain_name_configurations=[
                apigateway.CfnDomainName.DomainNameConfigurationProperty(
                    certificate_arn=domain.certificate,
                    endpoint_type="REGIONAL",
                    security_policy="TLS_1_2",
                )
            ],
        )
        apigateway.CfnApiMapping(
            self, "Mapping", api_id=self.id, domain_name=name.ref, stage=stage.ref
        )
        self.target = name.attr_regional_domain_name
