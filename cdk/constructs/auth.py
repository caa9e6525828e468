"""Who may call the API: people of a user pool, whoever another issuer vouches for, or IAM."""

from __future__ import annotations

from dataclasses import dataclass

from aws_cdk import Aws, CfnDeletionPolicy, Duration, RemovalPolicy, Stack, Token
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from cdk.constructs.acknowledged import acknowledge
from cdk.model import Oidc

_UNITS = {"access_token": "minutes", "id_token": "minutes", "refresh_token": "days"}


@dataclass(frozen=True, slots=True)
class Authorisation:
    """What a route of the API asks for; `login` is what the console needs to log people in."""

    kind: str  # JWT or AWS_IAM
    authorizer: str | None
    login: dict[str, str]


def by_iam() -> Authorisation:
    """Whoever may call the API by IAM: execute-api:Invoke."""
    return Authorisation("AWS_IAM", None, {"type": "iam"})


def by_issuer(scope: Construct, api: str, oidc: Oidc) -> Authorisation:
    """Whoever brings a token of an issuer."""
    made = _authorizer(scope, "Issuer", api, oidc.issuer, [*oidc.audience])
    return Authorisation("JWT", made, _login("oidc", oidc.issuer, oidc.audience[0]))


class Pool(Construct):
    """A user pool in which only administrators make accounts, and its client without a secret."""

    def __init__(
        self, scope: Construct, id: str, *, stage: str, pages: str, protected: bool
    ) -> None:
        """`pages` is the address that the hosted login may lead back to."""
        super().__init__(scope, id)
        self.pool = cognito.UserPool(
            self,
            "Users",
            self_sign_up_enabled=False,
            sign_in_aliases=cognito.SignInAliases(email=True),
            sign_in_case_sensitive=False,
            auto_verify=cognito.AutoVerifiedAttrs(email=True),
            standard_attributes=cognito.StandardAttributes(
                email=cognito.StandardAttribute(required=True, mutable=True)
            ),
            keep_original=cognito.KeepOriginalAttrs(email=True),
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            mfa=cognito.Mfa.OPTIONAL,
            mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False),
            password_policy=cognito.PasswordPolicy(
                min_length=12,
                require_lowercase=True,
                require_uppercase=True,
                require_digits=True,
                require_symbols=True,
                temp_password_validity=Duration.days(3),
            ),
            deletion_protection=protected,
            removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
        )
        self.client = cognito.CfnUserPoolClient(
            self,
            "Client",
            user_pool_id=self.pool.user_pool_id,
            client_name=f"stepsmith-{stage}",
            generate_secret=False,
            explicit_auth_flows=[
                "ALLOW_REFRESH_TOKEN_AUTH",
                "ALLOW_USER_PASSWORD_AUTH",  # how a terminal gets a token
                "ALLOW_USER_SRP_AUTH",
            ],
            prevent_user_existence_errors="ENABLED",
            enable_token_revocation=True,
            supported_identity_providers=["COGNITO"],
            allowed_o_auth_flows=["code"],
            allowed_o_auth_flows_user_pool_client=True,
            allowed_o_auth_scopes=["openid", "email"],
            callback_ur_ls=[pages],
            logout_ur_ls=[pages],
            access_token_validity=60,
            id_token_validity=60,
            refresh_token_validity=30,
            token_validity_units=cognito.CfnUserPoolClient.TokenValidityUnitsProperty(**_UNITS),
        )
        domain = cognito.CfnUserPoolDomain(
            self,
            "Domain",
            user_pool_id=self.pool.user_pool_id,
            domain=f"stepsmith-{stage}-{Aws.ACCOUNT_ID}",
        )
        if protected:
            for one in (self.client, domain):
                one.cfn_options.deletion_policy = CfnDeletionPolicy.RETAIN_EXCEPT_ON_CREATE
                one.cfn_options.update_replace_policy = CfnDeletionPolicy.RETAIN
        self.host = f"https://{domain.ref}.{_logins(self)}.{Aws.REGION}.amazoncognito.com"
        acknowledge(
            self.pool, "AwsSolutions-COG3", "threat protection is of a plan paid by the user"
        )
        acknowledge(
            self.pool,
            "AwsSolutions-COG2",
            "who wants a second factor sets one; `oidc` can demand it",
        )
        acknowledge(self.pool, "AwsSolutions-COG8", "the plan with more is paid by the user")

    def authorisation(self, api: str) -> Authorisation:
        """Whoever is in the pool."""
        issuer = f"https://cognito-idp.{Aws.REGION}.{Aws.URL_SUFFIX}/{self.pool.user_pool_id}"
        made = _authorizer(self, "Authorizer", api, issuer, [self.client.ref])
        login = _login("cognito", issuer, self.client.ref)
        return Authorisation("JWT", made, {**login, "host": self.host})


def _logins(scope: Construct) -> str:
    """Return what a region calls its hosted logins.

    https://docs.aws.amazon.com/govcloud-us/latest/UserGuide/govcloud-cog.html
    """
    region = Stack.of(scope).region
    is_gov = not Token.is_unresolved(region) and region.startswith("us-gov-")
    return "auth-fips" if is_gov else "auth"


def _login(kind: str, issuer: str, client: str) -> dict[str, str]:
    return {"type": kind, "issuer": issuer, "client_id": client}


def _authorizer(scope: Construct, id: str, api: str, issuer: str, audience: list[str]) -> str:
    made = apigateway.CfnAuthorizer(
        scope,
        id,
        api_id=api,
        name=id.lower(),
        authorizer_type="JWT",
        identity_source=["$request.header.Authorization"],
        jwt_configuration=apigateway.CfnAuthorizer.JWTConfigurationProperty(
            audience=audience, issuer=issuer
        ),
    )
    return made.ref
